import { type Phase, phaseWords } from './phases.ts';

/** Those that have a colour of their own; the others are grey. */
const coloured: readonly Phase['name'][] = ['died', 'queue', 'first', 'model', 'wait', 'tools'];

/** What the colours of the bars mean. */
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
