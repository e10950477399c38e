import type { ModelRequest, Provider } from '../../agent/ports/provider.ts';
import type { ModelOutcome } from '../../agent/session/reply.ts';
import type { LearnedRule } from '../../agent/session/server-rules.ts';
import type { ServerOptions } from '../common/provider.ts';
import { isRule } from '../dialects.ts';
import { facts } from '../facts.ts';

/** Most rules that one request may learn: an imported history can break several. */
const MOST = 4;

/**
 * Retries at once if a refusal names a rule of the server (`facts.ts`), with that rule. A refused request has said
 * nothing and costs nothing. The rule is returned with the outcome, for the session to save. This environment remembers
 * it for new conversations; in the middle of one it would change what the server has cached.
 */
export function learning(provider: Provider, log: ServerOptions['log']): Provider {
  const remembered = new Map<string, readonly string[]>();
  return {
    async complete(request, onDelta, signal) {
      const known = request.serverRules ?? [];
      const isNew = !request.messages.some(({ role }) => role === 'assistant');
      let rules = [...new Set([...known, ...(isNew ? (remembered.get(request.model) ?? []) : [])])];
      for (let tries = 0; ; tries++) {
        const outcome = await provider.complete(by(request, rules), onDelta, signal);
        const rule = outcome.kind === 'failed' && outcome.failure.kind === 'fatal' && outcome.failure.rule;
        if (rule && !rules.includes(rule) && tries < MOST && !signal.aborted) {
          rules = [...rules, rule];
          continue;
        }
        const learned = rules.filter((name) => !known.includes(name));
        if (learned.length === 0 || isRefused(outcome)) return outcome;
        if (tries > 0) {
          remembered.set(request.model, rules);
          const { model, server } = request;
          log?.('the model server refused a request by a rule of its own', {
            model,
            server,
            rules: learned.join(', '),
          });
        }
        return { ...outcome, learned: learned.map(toLearned) };
      }
    },
  };
}

const by = (request: ModelRequest, serverRules: readonly string[]): ModelRequest =>
  serverRules.length === (request.serverRules ?? []).length ? request : { ...request, serverRules };

/** If the retry is refused as well, the rule was not the reason. */
const isRefused = (outcome: ModelOutcome): boolean =>
  outcome.kind === 'failed' && outcome.failure.kind === 'fatal';

const toLearned = (rule: string): LearnedRule => ({ rule, what: isRule(rule) ? facts[rule].what : rule });
