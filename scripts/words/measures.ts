/** One kind of wording that keeps readers out, and how often it may still stand in the repository. */
export interface Measure {
  readonly name: string;
  /** What to write instead, in a sentence. */
  readonly advice: string;
  /** How many are left. It may only fall: lower it when you have mended some. */
  readonly most: number;
  /** Finds them in one passage: a joined comment, a paragraph, or a string. */
  readonly find: RegExp;
  /** Files that it does not apply to. */
  readonly except?: RegExp;
}

export const measures: readonly Measure[] = [
  {
    name: 'pronouns for people and things',
    advice: 'Name the subject: "the process that deletes the session", not "whoever deletes it".',
    most: 19,
    find: /\b(?:whoever|nobody|somebody|anybody|anew|would else|thereby|whereof)\b/gi,
  },
  {
    name: 'sentences that open with a pronoun',
    advice: 'Open with a noun: "Guards see its result", not "Of what it called only those hear …".',
    most: 22,
    find: /(?:^|(?<=[.:;!] ))(?:Of|Who|Whose|Whom|What) (?![^.!]{0,200}\?)[a-z]/g,
  },
  {
    name: 'row ids outside of docs/rules.md and tests',
    advice: 'Say the rule. Its id belongs into docs/rules.md.',
    most: 0,
    find: /\((?:[AHLTU]\d{1,2}[a-z]?(?:, )?)+\)/g,
    except: /^(?:test\/|docs\/rules\.md|CHANGELOG\.md)/,
  },
];
