/** Everything that was started, so that it can be stopped in reverse order, whatever happens in between. */

export class Closing {
  private readonly stops: { what: string; stop: () => unknown }[] = [];
  private closed: Promise<void> | undefined;

  /** Whether closing has begun. Later failures are caused by it. */
  get begun(): boolean {
    return this.closed !== undefined;
  }

  /** Registers how to stop `what`. If closing has begun already, it is stopped at once. */
  add(what: string, stop: () => unknown): void {
    this.stops.push({ what, stop });
    if (this.closed) void this.stopAll();
  }

  /** Stops everything. Never rejects: failures are reported. */
  close(): Promise<void> {
    this.closed ??= this.stopAll();
    return this.closed;
  }

  private async stopAll(): Promise<void> {
    for (let last = this.stops.pop(); last; last = this.stops.pop()) {
      try {
        await last.stop();
      } catch (error) {
        console.error(`Could not stop ${last.what}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}
