import { type Phase, phaseWords } from './phases.ts';

/** Phases with a colour of their own; the others are grey. */
const coloured: readonly Phase['name'][] = ['died', 'queue', 'first', 'model', 'wait', 'tools'];

/** The meaning of the bars' colours. */
export const Legend = () => (
  <details className="legend">
    <summary>What the bars mean</summary>
    <ul className="row plain-list">
      {coloured.map((name) => (
        <li key={name} className="row">
          <span className={`phase swatch ${name}`} aria-hidden="true" /> {phaseWords[name]}
        </li>
      ))}
    </ul>
    <p className="dim">
      Bars are relative to the longest loaded step. A wait has a fixed width, since it can last for days.
    </p>
  </details>
);
