import type { AgUiEvent } from '../../../contract/events.ts';
import { ownNames } from '../../define/pin.ts';
import { defined } from '../../plain/defined.ts';
import { readOnce } from '../../plain/read-once.ts';
import { Superseded } from '../../plain/superseded.ts';
import { ownSince } from '../../session/handoffs.ts';
import { omittedIn, type Pinned } from '../../session/pinned.ts';
import { runOf } from '../../session/session.ts';
import { SKILL_TOOL } from '../../session/skills.ts';
import { withSearch } from '../../tools/search/plan.ts';
import { toolsOf } from '../../tools/toolset.ts';
import type { Step } from '../open/step-context.ts';
import { keepDefinition } from './keep-definition.ts';
import { lostWithout, type NoAnswer } from './model-call.ts';
import type { Admitted } from './preflight.ts';
import { tellOmitted } from './tell-omitted.ts';
import { waitingInput } from './turn.ts';

/** The step with the tools of its session, or why its model cannot be asked yet. */
export interface Listed {
  readonly step: Step;
  readonly admitted: Admitted;
  readonly unlisted?: NoAnswer;
}

/**
 * Asks the agent's sources for their tools, before the session's model is asked for the first time. Their answer becomes part
 * of the pinned definition, which is stored before the commit names it. If a worker dies in between, the next one lists again,
 * unless a reply was stored: the reply names the definition under which it was asked for (docs/adr/0013-tool-sources.md), even one
 * that is committed already, because another owner may commit a newer one before it finds the reply.
 *
 * Until the model has replied, nothing depends on the tools, so each run begins with its own listing: a fix after a failed run
 * takes effect with the next message. Tools of code, and those of sessions that an older version has stored, are brought into
 * form here too, and skills are pinned in the version that is deployed now.
 */
export async function listTools(step: Step, admitted: Admitted): Promise<Listed> {
  const kept = step.recovered.model;
  if (kept?.definition && kept.definition !== step.session.definition)
    return under(step, admitted, await recovered(step, kept.definition));
  if (kept) return { step: { ...step, ...defined({ listed: kept.definition }) }, admitted };
  if (hasSpoken(step)) return { step, admitted };
  if (!mustList(step)) {
    const { pinned } = step.loaded;
    const skilled = hasSkills(step)
      ? searched(step, await (await readPinningSkills()).withSkills(step, pinned))
      : pinned;
    const formed = skilled.formed ? skilled : (await readForming()).formed(skilled);
    if (formed === pinned) return { step: { ...step, listed: step.session.definition }, admitted };
    return under(step, admitted, formed);
  }

  const { lease, io, loaded } = step;
  const startedAt = io.clock.now();
  const { askAll, withListed } = await readAsking();
  const found = await askAll(step);
  if (lease.stopped() === 'lost') throw new Superseded();
  if ('failure' in found) {
    const failedAt = io.clock.now();
    const lost = lostWithout(step, waitingInput(step));
    const failed = { ...found, failedAt, durationMs: failedAt - startedAt, ...lost };
    return { step, admitted, unlisted: { kind: 'failed', unlisted: true, ...failed } };
  }
  if (!hasSkills(step)) return under(step, admitted, searched(step, withListed(loaded.pinned, found)));
  const { withSkills, withoutSkills } = await readPinningSkills();
  const listed = withListed(withoutSkills(loaded.pinned), found);
  return under(step, admitted, searched(step, await withSkills(step, listed)));
}

/** Loads the code that pins skills: only first steps of agents with skills need it. */
export const readPinningSkills = readOnce(() => import('./pin-skills.ts'));

const hasSkills = ({ agent, loaded }: Pick<Step, 'agent' | 'loaded'>): boolean =>
  [agent?.skills, agent?.workspaceSkills].some((one) => one === true || (one && one.length > 0)) ||
  loaded.pinned.skills !== undefined;

/** The definition with a search for its tools, if it has too many. The tool that reads skills, and those of a page, are always sent. */
function searched({ agent }: Pick<Step, 'agent'>, pinned: Pinned): Pinned {
  if (!agent) return pinned;
  const { toolSearch = false } = agent;
  const others = [...(pinned.skills ? [SKILL_TOOL] : []), ...(pinned.page?.tools ?? [])];
  const always = others.length > 0 && toolSearch ? [...toolSearch.always, ...others] : undefined;
  return withSearch(pinned, always && toolSearch ? { ...toolSearch, always } : toolSearch, ownNames(agent));
}

/** Loads the code that asks sources. Few agents have any, so no cold start loads it. */
export const readAsking = readOnce(() => import('./ask-sources.ts'));

/** Loads the code that brings tools into form: only first steps need it. */
export const readForming = readOnce(() => import('./formed.ts'));

/** A reply of the model depends on the tools that it was told of. An imported reply was never told of these, nor one of another agent. */
const hasSpoken = ({ session, history }: Pick<Step, 'session' | 'history'>): boolean => {
  const since = ownSince(session);
  return (
    session.contextStart > since ||
    history.some((slot) => slot.n >= since && slot.kind === 'model' && slot.reply && !slot.reply.imported)
  );
};

/** The first step of another run lists again; a retry does not. */
const mustList = ({
  agent,
  loaded,
  session,
  isRetry,
}: Pick<Step, 'agent' | 'loaded' | 'session' | 'isRetry'>): boolean => {
  if (!agent || agent.toolSources.length === 0) return false;
  const { steps, retries } = runOf(session);
  const { sources, refused } = loaded.pinned;
  return !sources || (steps === 0 && retries === 0 && !isRetry && !refused);
};

/** The definition of a stored reply, under the current rules. */
async function recovered({ loaded, io }: Pick<Step, 'loaded' | 'io'>, definition: string): Promise<Pinned> {
  const { key, pinned } = loaded;
  const stored = await io.sessions.definition(key.tenant, definition);
  if (!stored) throw new Error(`session ${key.sessionId}: the definition ${definition} is missing`);
  const { system, tools, sources, formed, search, skills, refused, page } = stored;
  return {
    ...pinned,
    system,
    tools,
    ...defined({ sources, formed, search, skills, refused, page }),
  };
}

/** The step under the definition with the listed tools, which is stored now. */
async function under(step: Step, admitted: Admitted, pinned: Pinned): Promise<Listed> {
  const { loaded, session, agent, atCommit } = step;
  const definition = await keepDefinition(step, pinned);
  atCommit.push(...tellMissing(pinned));
  tellOmitted(step, omittedIn(pinned));
  return {
    step: {
      ...step,
      loaded: { ...loaded, pinned },
      session: { ...session, definition },
      tools: await toolsOf(agent, pinned),
      listed: definition,
    },
    admitted: { ...admitted, session: { ...admitted.session, definition } },
  };
}

const tellMissing = ({ sources = {} }: Pinned): AgUiEvent[] =>
  Object.entries(sources).flatMap(([source, { missing }]): AgUiEvent[] =>
    missing ? [{ type: 'CUSTOM', name: 'steploop.tools_missing', value: { source, why: missing } }] : [],
  );
