/** What was started, so that it can be stopped in the opposite order, whatever happens in between. */

export class Closing {
  private readonly stops: { what: string; stop: () => unknown }[] = [];
  private closed: Promise<void> | undefined;

  /** Whether everything is being stopped: what fails from then on fails of that. */
  get begun(): boolean {
    return this.closed !== undefined;
  }

  /** Remembers how to stop `what`. When everything is being stopped already, it is stopped at once. */
  add(what: string, stop: () => unknown): void {
    this.stops.push({ what, stop });
    if (this.closed) void this.stopAll();
  }

  /** Stops everything. Never rejects: what could not be stopped is told. */
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
