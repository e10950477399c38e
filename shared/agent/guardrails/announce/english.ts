import { anyOf, type Deed, deedBy, type Language, wordsOf } from './language.ts';

const startingWith = (...patterns: readonly string[]): RegExp => new RegExp(`^${anyOf(...patterns)}`, 'i');

/** Verbs that are done with tools, after "I'll" as after "let me"; without hyphens. */
const DEEDS = new Set(
  `
  activate add adjust analyse analyze apply archive assess assign attach audit benchmark book browse build bump
  calculate cancel change check clean clone collect commit compare compile compose compute configure connect contact
  convert copy crawl create crosscheck crossreference deactivate debug decrease delete deploy diagnose dim disable
  doublecheck download draft drain edit email enable evaluate examine execute explore export extract fetch filter find
  fix flush format gather generate grab grep hit implement import increase initialise initialize insert inspect
  install integrate investigate issue kill lint list load locate lock lower mark measure merge migrate mend mock
  modify notify open optimise optimize order parse patch pinpoint plot prepare probe profile provision publish pull
  purge push query raise read rebase reapply rebuild recalculate recheck reconnect recreate redo redeploy refactor
  reformat refresh refund regenerate register reinstall reload remove rename render reopen reorganise reorganize
  repair replace reread reproduce resend request research reserve reset resolve restart restore restructure retest
  retrieve retry revert review rewrite rotate rerun run save scale scan schedule search seed send simplify sort split
  stash store submit swap switch sync tag test tidy trace transfer trigger trim uninstall unlock update upgrade upload
  validate verify view wire write`
    .trim()
    .split(/\s+/),
);

/** Verbs that are deeds with some words after them only. */
const PHRASES = startingWith(
  'look (?:at|into|for|in|over|up|through|around|closer|deeper|further|there|inside)\\b(?! (?:it|that|this) from)',
  'look (?:it|that|this|them|§) up\\b',
  '(?:take|have) (?:a|another) (?:\\w+ )?look\\b',
  'take (?:a|the|that) (?:screenshot|backup|snapshot|dump)\\b',
  'see (?:what|whether|if|which|where|how|why|who)\\b(?! (?:we|it goes|things)\\b)',
  'get (?:the|some|more|all|its|a list|started|going|to work|that for|back to)\\b',
  '(?:find|figure|sort|work) (?:it |that )?out\\b',
  'di(?:g|ve) (?:in|into|deeper|further|through)\\b',
  'go (?:through|over) (?:the|all|each|every)\\b(?! (?:options|steps|basics|details|pros))',
  'track (?:it |that )?down\\b',
  'roll (?:it |that )?back\\b',
  'turn (?:\\w+ )?(?:on|off|up|down)\\b',
  'set (?:up|a|an|the|it (?:to|up))\\b(?! (?:tone|scene|stage))',
  'start (?:with (?:the|§)|on|by|the|§|\\w+ing)\\b',
  'begin (?:with (?:the|§)|by|\\w+ing)\\b',
  '(?:continue|proceed) (?:with|by|on)\\b',
  'move (?:on to|the|all|these|those|§)',
  'try (?:again|another|a|an|the|some|something|using|with|running|it (?:again|with))\\b',
  'stop the\\b',
  'use (?:§|(?:the|a|an|my) (?:[\\w-]+ ){0,3}(?:tools?|command|api|script|search|query|function|browser|shell|cli|terminal|endpoint)\\b)',
  'call (?:the|§)',
  'make (?:the|these|those|a|an|that|this) (?:\\w+ )?(?:changes?|edits?|fix|fixes|updates?|requests?|calls?)\\b',
  'put (?:together|(?:the|it|them|that) (?:\\w+ ){0,2}(?:on|in|into|together)\\b)',
  'do (?:an? (?:\\w+ )?(?:search|check|run|test|review|scan|lookup)|(?:that|this|it) (?:now|next|first|right away))\\b',
  'repeat the (?:check|test|run|query|search|call|request)\\b',
  '(?:spin|bring) up\\b',
  '(?:tear|shut) down\\b',
  'back up\\b|kick off\\b',
  'close the (?:ticket|issue|request|case|pull|browser|file|connection)\\b',
  'think\\b.*\\band (?:then )?(?:check|look|read|run|search|open)\\b',
);

/** With these words after them such verbs are something else: "add that …", "check with a colleague", "write back". */
const NO_DEED_WITH = startingWith(
  '[a-z-]+ (?:no|nothing|nobody|neither)\\b',
  '(?:check|write) back',
  '(?:write) (?:in|like|short|brief)\\b',
  '(?:raise) (?:one|two|an?|another)\\b',
  '(?:change) the (?:subject|topic)',
  '(?:schedule) around',
  '(?:build) on (?:that|this|it|what)\\b',
  '(?:check) (?:in|out)\\b(?! the)',
  '(?:check) with',
  '(?:run) (?:no|out|away|wild|late|(?:this|it|that) (?:by|past)|through|with (?:this|it|that))',
  '(?:add) (?:that|one|only|just|to (?:that|this)|here|my|something|a (?:word|note|thought|caveat|remark|point|comment))',
  '(?:open) (?:with|by)',
  '(?:list|count|find|test|add|write) (?:the (?:options|reasons|steps|pros|points|main|key|most|differences)|on|fault|it (?:hard|odd|strange|useful))',
  '(?:pull|push) (?:back|through)',
);

/** Verbs of saying, being, waiting and leaving alone: no deeds, whatever "now" or "let me" stands beside them. */
const NO_DEEDS = wordsOf(`
  accept acknowledge add_(?:that|one|to|a) admit agree and answer apologi[sz]e argue ask assume assure be begin_with
  believe break_(?:it|this|that)_down break_down build_on call_(?:it|out|you|that) challenge cheer clarify close come
  comment\\b compliment conclude confess congratulate consider contrast correct_(?:myself|that|this|my)
  count_(?:that|it|on) cut define demonstrate describe digress disagree draw dwell echo either elaborate emphasi[sz]e
  end enjoy expand explain express feel finish flip float follow_up frame get_(?:back_to_you|this_straight) give go
  guess guide hand_over handle_you hang_up have help highlight hold hope illustrate imagine in interrupt introduce
  join keep know leave let like list live love make_(?:it|this|that|sure|a|one|clear) make_myself mention miss name
  need note of offer or out outline paint paraphrase pass pause phrase pick play point pose postpone praise pretend
  promise propose put qualify quote reassure recap recommend refer reflect refrain reiterate remain remember remind
  repeat rephrase reply respond rest restate return reveal reword rule_out say sell share shed show sign sketch skip
  sleep spare speak specify spell stand start_(?:with_an?|over|off) state stay step stick stop stress suggest
  sum(?:mari[sz]e)? surprise take_(?:that|this|it|your|you|no) take_the talk tell thank think throw treat trust
  try_(?:to|that_again|this) turn_to unpack use wait walk want warn welcome wish wonder word wrap zoom`);

const NOW = /\b(?:now|first|right away|immediately|at once|go ahead and)\b|\bnext\b[.!:…]*$/i;

const ADVERB = anyOf(
  'now|then|first|next|also|just|quickly|briefly|simply|directly|immediately|carefully|instead|actually|therefore|again',
  'go ahead and|go and|try (?:to|and)|proceed to|help by',
);
const ADVERBS = `(?:${ADVERB} )*`;
const NONE = startingWith(`(?:${NO_DEEDS}|${ADVERB})\\b`);

/** The gerunds of "Checking the logs now." */
const DOING = wordsOf(`
  adding applying analy[sz]ing building calling checking comparing creating deleting deploying downloading editing
  fetching fixing going_to_\\w+ inspecting installing investigating loading looking moving opening pulling querying
  reading removing rerunning restarting retrying running scanning searching sending starting testing updating
  verifying writing`);

const OPENERS = `(?:${anyOf(
  'now|next|next up|first|then|so|and|but|ok|okay|alright|all right|right|sure|sure thing|great|good|perfect|fine',
  'well|yes|also|finally|excellent|thanks|absolutely|certainly|of course|understood|got it|h+m+|ah|oh|wait',
  'one moment|hold on',
)}[,!.:]? )*`;

/** Where a clause of the speaker's may begin. */
const CLAUSE = `(?:^${OPENERS}|[,;:–—] (?:(?:so|but|now|next|first|then) )?|\\s- |\\b(?:so|but|now|next|first|while) )`;

const WILL = "(?:i'll|i will|(?:i'm|i am) (?:now )?(?:going|about) to)";
const LET_ME = '(?:let me|allow me to)';
/** People say it of much that they do, so only of what can be nothing else. */
const LETS =
  "let's (?:now |first |just |quickly )?(?:check|run|rerun|open|inspect|examine|verify|search|fix|debug|investigate|look (?:at|into|for)|see (?:whether|if|where|why))\\b";
const MUST =
  "(?:time to|i(?:'ll| will)? (?:now |also |first |still |just )?(?:need|have) to|i want to(?=.*\\b(?:now|next|first)\\b))";

const PAUSE =
  '(?:(?:just )?(?:one|a) (?:moment|second|sec|minute)|give me (?:just )?(?:a|one) \\w+|h[oa](?:ld|ng) on|bear with me|stand by)';

const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';

/** What the deed waits for, or when it is done if not now. */
const WAITS = anyOf(
  'if|unless|once|whenever|until|till|when|provided|assuming|in case|in that case|otherwise|either|by default|as soon as|as long as',
  'only|without (?:your|a|an|the|any|further)|pending|approv(?:al|ed)|subject to|should (?:it|that|this|the)|permission',
  'tomorrow|tonight|overnight|later|soon|shortly|always|never|not|within|(?:from )?(?:now|here) on|going forward|in (?:the )?future|the day before|for the rest',
  `(?:every|each) (?:\\w+ )?(?:time|second|minute|hour|day|morning|evening|night|week|month|quarter|year|${DAY})`,
  `(?:on|by|before|until|next|this) (?:week|weekend|month|year|time|release|evening|afternoon|noon|${DAY})`,
  '(?:then|after that|afterwards)(?=[.!]*$)|green light',
  'before (?:each|every|any|all)',
  '(?:daily|weekly|monthly)(?=[.,;!]|$)',
  'in (?:about |around )?(?:a few|an?|one|two|three|five|ten|\\d+)\\b[^,.]*\\s(?:seconds?|minutes?|hours?|days?|weeks?)',
  'in (?:\\w+ )?(?:english|german|french|spanish|italian|words|prose|plain \\w+|simple \\w+)',
  'at (?:noon|midnight|\\d)|(?:on|by|at) the (?:end|\\d)|on (?:request|demand)',
  'after (?!(?:that|this|which|\\w+ing)\\b)',
);

/** Who is told something, or what is no thing of the world. */
const NOT_THE_WORLD =
  'you|together|unchanged|as (?:it|they) (?:is|are|was|were)|(?:the|all|future|further) (?:answers|replies|responses)|my (?:answers?|mind|tone|style|wording|repl(?:y|ies)|advice|estimate|understanding|picture|view|notes|best|knight|bishop|rook|queen|king|pawn)';

/** The speaker begins to say what comes next; what follows is the verb. */
const BEGINS = new RegExp(`${CLAUSE}(?:${MUST}|(${WILL})|(${LET_ME})) (?=(${ADVERBS}))\\3`, 'gi');

/** Other ways to say it, each with its verb. */
const OTHERWISE = [
  `${CLAUSE}${LETS}`,
  `${CLAUSE}(?:i'm|i am) (?:now|currently) ${DOING}\\b`,
  `${CLAUSE}(?:i'm|i am) ${DOING}\\b(?=.*\\b(?:now|right away)\\b)`,
  `^${PAUSE}\\b.*?\\bi(?:'m| am) ${DOING}\\b|^${PAUSE}\\b.*?\\bi (?:look|check|read|run|search|open|find|fetch|pull)\\b`,
  `^${OPENERS}${DOING}\\b(?=.*(?:\\b(?:now|next|first)[.!:…]*|…|\\.\\.\\.)$)`,
].map((pattern) => new RegExp(pattern, 'i'));

function deedIn(sentence: string): Deed | undefined {
  for (const begin of sentence.matchAll(BEGINS)) {
    const [said, will, letMe, adverbs = ''] = begin;
    const rest = sentence.slice(begin.index + said.length);
    const verb = /^[a-z-]+/i.exec(rest)?.[0] ?? '';
    // "I'll" is said of much; "let me", and "now", hardly of anything but a deed.
    const any = letMe !== undefined || (will !== undefined && NOW.test(`${adverbs}${rest}`));
    if (isDeed(verb, rest) || (any && verb !== '' && !NONE.test(rest) && !NO_DEED_WITH.test(rest)))
      return { before: sentence.slice(0, begin.index), after: rest.slice(verb.length) };
  }
  return OTHERWISE.map((pattern) => deedBy(pattern, sentence)).find((deed) => deed !== undefined);
}

const isDeed = (verb: string, rest: string): boolean =>
  PHRASES.test(rest) || (DEEDS.has(verb.toLowerCase().replaceAll('-', '')) && !NO_DEED_WITH.test(rest));

export const english: Language = {
  deedIn,
  notAfter: new RegExp(
    anyOf(
      // A request: "Send me the number, and …".
      '^(?:(?:please|just|then|next|first|so|and|now),? )*(?:send|paste|give(?! me a)|tell|share|upload|reply|write|type|say|call|confirm|ask|restart|click|press|approve|sign|enter|choose|pick|take|wait|try|provide|attach)\\b',
      // Somebody else: "He answers: …".
      '\\b(?:says?|said|saying|tells?|told|asks?|asked|answers|answered|repl(?:y|ies|ied)|writes?|wrote|reads|means?|meant|promised?|thinks?|thought|translat\\w+|sentence|phrase|slogan|title|words|example|instance|english|if|options?|alternatives?|variants?|plan [a-d]|either|usually|normally|generally)\\b',
    ),
    'i',
  ),
  waits: new RegExp(`\\b(?:${WAITS}|${NOT_THE_WORLD})(?!\\w)`, 'i'),
  harmless: new RegExp(
    anyOf(
      '\\bfor you\\b(?! to\\b)|\\bthank you\\b',
      "\\byou(?:'ve| have|'d| had)? (?:just )?(?:mentioned|asked|named|sent|gave|given|provided|shared|described|pointed|wrote|written|want|wanted|need|linked|listed|attached|uploaded|reported|requested|referred)\\b",
      '\\b(?:see|check|find out|verify|test|determine|know) (?:if|when) (?!you\\b)',
      '\\bnot only\\b|\\b(?:whether|or|why|does|do|is|did|was|are|has|have|were|could|can) not\\b|\\bread-only\\b',
    ),
    'gi',
  ),
  asks: new RegExp(
    `\\b${anyOf(
      'please(?! (?:wait|hold|stand by|bear))|let me know|tell me|say the word|reply with|wait(?:ing)? for',
      'your (?:ok|okay|approval|permission|consent|confirmation|go-ahead|yes|reply|answer|decision|choice|call|signal|word|mark|command|say-so)|is enough|need your',
      "from you|with you|up to you|you (?:could|can|should)|i(?:'d| would)? (?:recommend|suggest|propose)|my (?:proposal|suggestion)",
    )}\\b(?<!one moment,? please)`,
    'i',
  ),
  goesOn: /^(?:and |but )?(?:then|after that|afterwards)\b/i,
  pause: new RegExp(
    `^${anyOf(
      `${PAUSE}(?!.*\\b(?:i|let me)\\b)`,
      'please (?:wait|hold|stand by|bear)|back in a|be right back',
      "(?:this|that|it)\\s*(?:may|might|will|should|could|can|won't|would|'ll)\\b|(?:this|that) way\\b",
    )}`,
    'i',
  ),
};
