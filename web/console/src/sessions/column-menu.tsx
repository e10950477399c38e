import { Menu } from '../parts/menu.tsx';
import type { ColumnId } from './column-ids.ts';
import { columns } from './columns.tsx';

interface ColumnMenuProps {
  readonly chosen: readonly ColumnId[];
  readonly onChange: (chosen: readonly ColumnId[]) => void;
}

/** The choice of columns. */
export const ColumnMenu = ({ chosen, onChange }: ColumnMenuProps) => (
  <Menu label="Columns">
    <fieldset className="stack bare">
      <legend className="hidden">Columns</legend>
      {columns
        .filter(({ id }) => id !== 'title')
        .map(({ id, name }) => (
          <label key={id} className="row">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
              }
            />
            {name}
          </label>
        ))}
    </fieldset>
  </Menu>
);
