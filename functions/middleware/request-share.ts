/** A tenant's request, before anything is done for it. */
export interface Asked {
  readonly tenant: string;
  /** When it reached the API, in epoch ms. Requests that had to wait for a function belong to the second in which they came. */
  readonly at: number;
  /** Its weight: `request-units.ts`. */
  readonly units: number;
}

/** The units that an environment has left to give to a tenant in one second. */
export interface Share {
  left: number;
  /** Units that it asks for at once. Undefined before it has asked. */
  lot?: number;
  /** The table has refused: nothing is left. */
  closed?: boolean;
}
