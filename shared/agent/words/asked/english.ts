import { anyOf, wordsOf } from '../announce/language.ts';
import type { AskingLanguage } from './language.ts';

/** Verbs that change things. */
const CHANGE = `(?:${wordsOf(`
  fix repair mend correct change modify edit update(?!_(?:me|us)\\b) upgrade downgrade bump add insert append remove delete
  drop(?!_(?:me|us)\\b) rename replace refactor rewrite rework simplify clean_?up clean tidy move extract split merge implement
  write create make(?!_(?:sense|sure|out)\\b) build generate set(?!_out\\b) enable disable convert(?!_\\d) migrate port patch
  apply revert undo restore adjust adapt improve optimi[sz]e speed_up format document comment_out introduce integrate
  install configure wire extend(?!_on\\b) expand(?!_on\\b) reduce increase decrease lower raise resolve
  address(?!_(?:my|this|the)_(?:question|concern)) finish(?!_your) complete reorder sort(?!_of\\b) inline get_rid_of deprecate pin turn_(?:on|off|it|this|the)
  switch swap put_(?:it|that|this|back) bring_back do_(?:it|that|this|the_same|so) use(?=.*\\binstead\\b)
  get(?=_(?:[\\w'/.-]+_){1,5}(?:working|to_work|to_pass|fixed|done|green|running))`)})\\b`;
const CHANGING = wordsOf(`
  fixing repairing correcting changing modifying editing updating upgrading bumping adding inserting removing deleting
  dropping renaming replacing refactoring rewriting reworking simplifying cleaning tidying moving extracting splitting
  merging implementing writing creating making building generating setting enabling disabling converting migrating porting
  patching applying reverting undoing restoring adjusting improving optimi[sz]ing documenting configuring extending
  reducing increasing raising resolving finishing switching swapping using putting`);

/** Words between the request and its verb. */
const BETWEEN = `(?:(?:${anyOf(
  'please,?|kindly|maybe|possibly|perhaps|also|just|now|quickly|then|first|simply|instead|directly|go ahead and|go and',
  'try (?:to|and)|attempt to|help(?: me| us)?(?: to)?|start by|take care of (?:it|this|that) and',
)}) )*`;
const ASKED = anyOf(
  "(?:can|could|would|will|might|can't|won't|couldn't) (?:you|u|we|someone|somebody|anyone)",
  "(?:i|we)(?:'d| would)? (?:like|want|need) you to|would you (?:be able|be so kind as|like) to|(?:are|would) you able to",
  "is it possible for you to|would it be possible (?:for you )?to|any chance (?:you could|you can|to)|please|let's|be sure to",
  "why (?:don't|not) (?:you|we|just)|mind to|(?:how|what) about you",
);
/** "How would you fix it?" asks for words. */
const NO_QUESTION = '(?<!\\b(?:how|what|which|where|when|why|who|whose|files|changes) )';
/** Objects of a verb, in a clause of its own. */
const THING =
  '(?: (?:it|them|that|this|these|those|the|a|an|all|any|every|each|my|our|your|its|their|both|§)\\b| §| [\\w/.-]+\\.[a-z]\\w{0,4}\\b)';
/** With these before it, an order may have any object. */
const POLITE =
  '(?:(?:please|now|then|so|ok|okay|just|also|and|but|well|instead|yes|go ahead and|if (?:so|not|yes|possible|it is|it does|you can)),? )';

/** Orders to look and to tell. */
const LOOK =
  'explain|describe|show|list(?! handling\\b)|tell me|summari[sz]e|review|find out|figure out|investigate|analy[sz]e|compare|count|look up|give me|check (?:if|whether|that|why|how)';
/** Before an "and" it means that no order follows: "the calls that read and write the file". */
const GOES_ON = `(?:\\b(?:that|which|who|to|do|does|did|can|could|will|would|should|must|may|i|we|you|they|how)\\b|\\b(?:read|load|get|${CHANGE})(?= and\\b))`;

export const english: AskingLanguage = {
  tells: new RegExp(
    `^(?:please,? )?(?:what|why|how|when|where|who|whose|which|${LOOK}|is|are|does|do(?! (?:it|that|this|the)\\b)|did|was|were|has|should|am)\\b`,
    'i',
  ),
  requests: [
    new RegExp(`${NO_QUESTION}\\b${ASKED} ${BETWEEN}${CHANGE}`, 'i'),
    new RegExp(`\\b(?:(?:would|do) you mind|(?:how|what) about) ${CHANGING}\\b`, 'i'),
    /\b(?:i|we) (?:need|want) (?:[\w'-]+ ){1,4}(?:fixed|changed|removed|renamed|updated|added|repaired|replaced|done)\b/i,
    // "Can you find the cause and fix the parser?"
    new RegExp(
      `\\b(?:can|could|would|will) you (?:(?!(?:how|explain|describe|tell|show|whether|if)\\b)[^\\s.?!]+ ){1,15}?and (?:then |also |please )?${CHANGE}(?=${THING})`,
      'i',
    ),
  ],
  orders: [
    new RegExp(
      `^${POLITE}*${CHANGE}(?! (?:is|are|was|were|does|did|has|have|fails?|failed|breaks?|broke|returns?|and|or|logs?|notes?|order|requests?|theory)\\b|\\?+$)`,
      'i',
    ),
    new RegExp(`(?:[,;:–—]|\\s-) (?:${POLITE}+${CHANGE}|${CHANGE}(?=${THING}))`, 'i'),
    new RegExp(`\\band (?:then |please |also )?${CHANGE}(?= (?:it|them|that|this)\\b)`, 'i'),
    // "Show me what fails and repair the tests."
    new RegExp(
      `^(?:please,? )?(?:${LOOK})\\b(?:(?!${GOES_ON}).)*? and (?:then |please |also )?${CHANGE}(?=${THING})`,
      'i',
    ),
  ],
  asksHow:
    /\bhow (?!about\b)|\b(?:if|do|can|should|could|would|must|may|did|had|have) (?:i|we|one)\b|\b(?:i|we|one) (?:do|can|should|could|would|must|have to|need to|want to|had to)\b/i,
};
