import { checkSkill } from '../../shared/agent/skills/check-skill.ts';
import type { DeployedSkill } from '../../shared/agent/skills/skill.ts';
import type { ToolContext } from '../../shared/agent/tools/tool.ts';
import type { SessionFacts } from './ledger.ts';
import type { World } from './world.ts';

const utf8 = new TextEncoder();

/** The skill of the simulated agent. */
export const SKILL = 'house';

/** How its description names its version in a prompt. */
const named = (version: number): string => `Version ${version} of the house.`;

const deployed = [0, 1].map(made);

/** The skills as they are deployed now: each deploy has another version. */
export const skillsIn = async (world: Pick<World, 'deployed'>): Promise<readonly DeployedSkill[]> =>
  deployed.slice(world.deployed, world.deployed + 1);

function made(version: number): DeployedSkill {
  const text = `---\nname: ${SKILL}\ndescription: ${named(version)}\n---\nRead version.txt.\n`;
  const files = { 'SKILL.md': text, 'version.txt': named(version) };
  const bytes = Object.entries(files).map(([path, content]) => [path, utf8.encode(content)] as const);
  const { skill, pack, problems } = checkSkill(SKILL, new Map(bytes));
  if (!skill || !pack) throw new Error(JSON.stringify(problems));
  return { ...skill, pack: async () => pack };
}

/** A call reads the skill, which must be there in the version that the prompt of its reply describes. */
export async function readSkill(
  { ledger, scheduler }: World,
  facts: SessionFacts,
  callId: string,
  { services: { skills }, signal }: ToolContext<never>,
): Promise<void> {
  const pinned = facts.served.calls.get(callId)?.pinned;
  if (pinned === undefined) return;
  const wrong = (why: string) =>
    ledger.violate('7 a skill is read in the version of the prompt', `${callId}: ${why}`);
  try {
    const text = new TextDecoder().decode(await skills.read(SKILL, 'version.txt'));
    scheduler.trace.say(callId, 'skill read', text);
    if (!pinned.includes(text)) wrong(`it reads ${text}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (!signal.aborted && /not stored|no skill|not the version/.test(why)) wrong(why);
    throw error;
  }
}
