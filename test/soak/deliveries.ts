import { createHmac, randomUUID } from 'node:crypto';
import { createRandom } from '../sim/random.ts';

export interface SoakPlan {
  /** Number of events, each delivered once or twice. */
  readonly deliveries: number;
  /** Number of issues, which get the events in turn. */
  readonly issues: number;
  /** Number of deliveries for the first issue, in direct succession: more than its inbox holds. */
  readonly burst: number;
  /** Share of deliveries that are sent again. */
  readonly again: number;
  readonly seed: number;
}

/** One GitHub delivery as it is sent. */
export interface Planned {
  readonly id: string;
  readonly issue: number;
  /** The message for the session. It is unique to this delivery. */
  readonly says: string;
  readonly body: string;
  /** Whether it was sent before, with the same id and the same bytes. */
  readonly isAgain: boolean;
}

/** The issue that gets the burst. */
export const BURST_ISSUE = 1;

/** Deliveries in the order in which senders take them. The burst is in the middle. */
export function planned({ deliveries, issues, burst, again, seed }: SoakPlan): Planned[] {
  const random = createRandom(seed);
  const ordinary = Array.from({ length: deliveries - burst }, (_, i) => 1 + (i % issues));
  const middle = Math.floor(ordinary.length / 2);
  const order = [
    ...ordinary.slice(0, middle),
    ...Array.from({ length: burst }, () => BURST_ISSUE),
    ...ordinary.slice(middle),
  ];
  const sent: Planned[] = [];
  const laterAgain: Planned[] = [];
  for (const [n, issue] of order.entries()) {
    const says = `issue ${issue}: delivery ${n + 1}`;
    const body = JSON.stringify({ action: 'opened', issue: { number: issue, title: says } });
    const delivery = { id: randomUUID(), issue, says, body, isAgain: false };
    sent.push(delivery);
    if (random.chance(again)) laterAgain.push({ ...delivery, isAgain: true });
    // Some come again at once, alongside the first, and some much later.
    while (laterAgain.length > 0 && random.chance(0.3)) sent.push(...laterAgain.splice(0, 1));
  }
  return [...sent, ...laterAgain];
}

/** The headers with which GitHub sends a body. */
export const signedHeaders = ({ id, body }: Planned, secret: string): Record<string, string> => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  'x-github-event': 'issues',
  'x-github-delivery': id,
});
