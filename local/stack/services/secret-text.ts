import { randomInt } from 'node:crypto';

/** The options of CloudFormation's GenerateSecretString. Absent exclusions are false, the length is 32. */
export interface SecretRecipe {
  PasswordLength?: number;
  ExcludeCharacters?: string;
  ExcludeLowercase?: boolean;
  ExcludeUppercase?: boolean;
  ExcludeNumbers?: boolean;
  ExcludePunctuation?: boolean;
  IncludeSpace?: boolean;
  RequireEachIncludedType?: boolean;
  SecretStringTemplate?: string;
  GenerateStringKey?: string;
}

/** Secrets Manager's own punctuation set, from the GetRandomPassword reference. */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/**
 * A new secret value by its recipe: a random text, or the JSON template with that text under the named key. Throws if the
 * exclusions leave no characters, or if only one of template and key is given.
 */
export function generateSecretText(recipe: SecretRecipe): string {
  const password = randomPassword(recipe);
  const { SecretStringTemplate: template, GenerateStringKey: key } = recipe;
  if (template === undefined && key === undefined) return password;
  if (template === undefined || key === undefined) {
    throw new Error('SecretStringTemplate and GenerateStringKey must be given together');
  }
  return JSON.stringify({ ...(JSON.parse(template) as object), [key]: password });
}

function randomPassword(recipe: SecretRecipe): string {
  const classes = [
    recipe.ExcludeLowercase ? '' : 'abcdefghijklmnopqrstuvwxyz',
    recipe.ExcludeUppercase ? '' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    recipe.ExcludeNumbers ? '' : '0123456789',
    recipe.ExcludePunctuation ? '' : PUNCTUATION,
    recipe.IncludeSpace ? ' ' : '',
  ]
    .map((letters) => [...letters].filter((letter) => !(recipe.ExcludeCharacters ?? '').includes(letter)))
    .filter((letters) => letters.length > 0);
  const all = classes.flat();
  if (all.length === 0) throw new Error('GenerateSecretString excludes every character');
  const required = recipe.RequireEachIncludedType === false ? [] : classes.map(pick);
  const rest = Array.from({ length: Math.max(0, (recipe.PasswordLength ?? 32) - required.length) }, () =>
    pick(all),
  );
  return shuffle([...required, ...rest]).join('');
}

function pick(letters: string[]): string {
  return letters[randomInt(letters.length)] ?? '';
}

function shuffle(letters: string[]): string[] {
  return letters
    .map((letter) => ({ letter, rank: randomInt(2 ** 32) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ letter }) => letter);
}
