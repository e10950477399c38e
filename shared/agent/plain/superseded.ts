/** Thrown inside a step when a newer epoch owns its session: the step must stop, report nothing, and not settle its message. */
export class Superseded extends Error {
  override name = 'Superseded';
}
