declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** Starts nothing: the returned server still has to listen. Without `path` the tables live in memory. */
  export default function dynalite(options: { path?: string; createTableMs?: number }): Server;
}
