import { erasureIdOf, requestErasure } from '../../shared/agent/entrypoints/erase-person.ts';
import {
  type ErasureRecord,
  type Person,
  quietFrom,
  stateOf,
} from '../../shared/agent/entrypoints/people.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { type PersonErasure, Subject } from '../../shared/contract/people.ts';
import { log } from '../../shared/logger.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import type { Route } from './context.ts';

/**
 * `DELETE /people/{user}`: has everything deleted that is stored of a person of the tenant. The sweeper does it, and continues
 * after any crash: `GET` shows how far it is.
 */
export const erasePerson: Route = async (event, caller, { io, people }) => {
  requireAdmin(caller);
  const person = personOf(event.pathParameters?.user, caller);
  const record = await requestErasure(person, io.clock.now(), people);
  const answer = toAnswer(person, record);
  const { tenant, subject: by } = caller;
  log('info', 'the data of a person is to be deleted', { tenant, by, erasure: answer.erasureId });
  return json(202, answer);
};

/** `GET /people/{user}`: how far the deletion of a person's data is, until 30 days after its end. */
export const readErasure: Route = async (event, caller, { people }) => {
  requireAdmin(caller);
  const person = personOf(event.pathParameters?.user, caller);
  const record = await people.read(person);
  if (!record)
    throw new Refusal(404, 'No such deletion', {
      detail: 'DELETE /people/{user} begins one. Its record is kept for 30 days after its end.',
    });
  return json(200, toAnswer(person, record));
};

function personOf(said: string | undefined, { tenant }: Identity): Person {
  const user = Subject.safeParse(said);
  // For a misspelt name the deletion would end as done, and delete nothing.
  if (!user.success)
    throw new Refusal(400, 'Not a subject', {
      detail:
        'Name the subject, URL-encoded: user:<sub> for JWTs, slack:<team>:<user>, key:<keyId>, or operator. GET /sessions shows it as `user`.',
    });
  return { tenant, user: user.data };
}

function toAnswer(person: Person, record: ErasureRecord): PersonErasure {
  const { requestedAt, doneAt, progress } = record;
  const state = stateOf(record);
  const time = (at: number) => new Date(at).toISOString();
  return {
    ...{ user: person.user, erasureId: erasureIdOf(person), state, requestedAt: time(requestedAt) },
    ...(state === 'erased' && { goneBy: time(quietFrom(progress)) }),
    ...(doneAt !== undefined && { doneAt: time(doneAt) }),
    sessions: { left: progress.left, erased: progress.waiting + progress.sessions },
    ...{ memories: progress.memories, uploads: progress.uploads },
  };
}
