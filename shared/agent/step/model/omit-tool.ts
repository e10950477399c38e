import {
  modelAt,
  type Pinned,
  type PinnedTool,
  type RefusedTool,
  toldRefused,
} from '../../session/pinned.ts';
import type { RefusedDeclaration } from '../../session/reply.ts';
import { runOf, type Session } from '../../session/session.ts';
import { besideServerTools, toolsSent } from '../../session/tools-sent.ts';
import type { Step } from '../open/step-context.ts';
import { keepDefinition } from './keep-definition.ts';
import { tellOmitted } from './tell-omitted.ts';

/** Tools that one session may lose to refusals. Each costs a request, and a server that refuses more of them has another reason. */
const MOST_REFUSED = 50;

/** Characters of a server's reason that are stored. */
const MAX_REASON = 300;

/**
 * The session without the tool that its model's server refuses. People are told when the step is committed. Undefined if the
 * refusal names none of the session's tools.
 *
 * @param said the server's message
 */
export async function withoutTool(
  step: Pick<Step, 'atCommit' | 'io' | 'loaded'>,
  session: Session,
  declaration: RefusedDeclaration,
  said: string,
): Promise<Session | undefined> {
  const { pinned } = step.loaded;
  const tool = namedTool(pinned, session, declaration);
  const refused = pinned.refused ?? [];
  if (!tool || refused.length >= MOST_REFUSED) return undefined;
  const omitted = refusedTool(pinned, tool, said);
  const kept: Pinned = {
    ...pinned,
    tools: pinned.tools.filter((one) => one !== tool),
    refused: [...refused, omitted],
  };
  const definition = await keepDefinition(step, kept);
  tellOmitted(step, [toldRefused(omitted)]);
  return { ...session, definition };
}

/** A request declares the tools of the server first. Tools that search cannot be left out: without them the model would find no tool. */
function namedTool(
  pinned: Pinned,
  session: Session,
  declaration: RefusedDeclaration,
): PinnedTool | undefined {
  const { serverTools = [] } = modelAt(pinned, runOf(session).fallback);
  const { find, call } = pinned.search ?? {};
  const sent = besideServerTools(toolsSent(pinned), serverTools);
  const named =
    'name' in declaration
      ? sent.find(({ name }) => name === declaration.name)
      : sent[declaration.index - serverTools.length];
  return named?.name === find || named?.name === call ? undefined : named;
}

function refusedTool({ sources = {} }: Pinned, { name }: PinnedTool, said: string): RefusedTool {
  const why = `was refused. ${said.slice(0, MAX_REASON).toWellFormed()}`;
  for (const [source, { tools }] of Object.entries(sources)) {
    const listed = tools.find((one) => one.name === name);
    if (listed) return { source, tool: listed.listedAs, why };
  }
  return { tool: name, why };
}
