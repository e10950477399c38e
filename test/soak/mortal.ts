/** An invocation that may be killed in the middle. From then on its calls have no effect and never return. */
export interface Life {
  readonly dead: boolean;
  /** Makes one more call. Never rejects; hangs if it is the last one, before or after the call was made. */
  call<T>(proceed: () => Promise<T>): Promise<T>;
}

/**
 *
 * @param most number of calls after which it is killed
 * @param after whether the last one is still made
 */
export function life(most: number, after: boolean, onDeath: () => void): Life {
  let left = most;
  let dead = false;
  const never = new Promise<never>(() => {});
  const die = (): Promise<never> => {
    if (!dead) onDeath();
    dead = true;
    return never;
  };
  return {
    get dead() {
      return dead;
    },
    async call(proceed) {
      if (dead) return never;
      left -= 1;
      if (left < 0 && !after) return die();
      const done = await proceed();
      return left < 0 || dead ? die() : done;
    },
  };
}

/** A port as this invocation calls it. */
export function livedBy<T extends object>({ call }: Life, port: T): T {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function' || property === 'now') return member;
      return (...args: unknown[]) => call(async () => Reflect.apply(member, target, args));
    },
  });
}
