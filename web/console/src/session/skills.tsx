import type { View } from '../../../client/index.ts';
import { plain } from '../parts/plain.ts';

/** The skills that the session has read, each with the beginning of its version. */
export function SkillsRead({ view: { items } }: { readonly view: View }) {
  const read = new Map<string, string>();
  for (const item of items) {
    if (item.kind !== 'call' || item.name !== 'skill') continue;
    // The first line of the instructions, as the tool returns them.
    const [, skill, version = ''] =
      /^\[skill ([^\s,:]+(?::[^\s,:]+)?)(?:, version ([0-9a-f]+))?/.exec(item.result ?? '') ?? [];
    if (skill) read.set(skill, version);
  }
  if (read.size === 0) return null;
  return (
    <p className="row">
      <span className="dim">{read.size === 1 ? 'Skill' : 'Skills'}</span>
      {[...read].map(([skill, version]) => (
        <span key={skill} className="badge calm" title={version && `version ${version}`}>
          {plain(skill)}
        </span>
      ))}
    </p>
  );
}
