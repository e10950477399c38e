/** Thrown inside a step when a newer epoch owns its session: it must stop, say nothing, and not settle its message. */
export class Superseded extends Error {
  override name = 'Superseded';
}
