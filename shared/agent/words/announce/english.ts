import { anyOf, type Deed, ifThere, type Language, wordsOf } from './language.ts';

const startingWith = (...patterns: readonly string[]): RegExp => new RegExp(`^${anyOf(...patterns)}`, 'i');

/** Verbs that are deeds only with these words after them: "take a look". */
const PHRASES = startingWith(
  '(?:take|have) (?:a|another) (?:\\w+ )?look\\b',
  'take (?:a|the|that) (?:screenshot|backup|snapshot|dump)\\b',
  'get back to (?!you)|get (?:the|some|more|all|its|a list|started|going|to work|that for)\\b',
  '(?:get|be|jump) (?:right |straight |immediately )?(?:on|onto|to) (?:it|that|this)\\b|get (?:it|that|this) (?:done|sorted|fixed)\\b',
  'take care of (?:it|that|this|the)\\b|see to (?:it|that|this)\\b(?! that)',
  'list (?:(?:the|all|every|its|your|my|of|these|those) )*(?:\\w+ )?(?:files?|folders?|director(?:y|ies)|tables?|branches|entries|contents?|buckets?|pods|processes|rows|records|orders|tickets|dependencies)\\b',
  'go (?:through|over) (?:the|all|each|every)\\b(?! (?:options|steps|basics|details|pros))',
  '(?:start|begin) (?:with (?:the|step|§)|on|by|the|§|\\w+ing)\\b',
  'try (?:that (?:with|again)|again|another|a|an|the|some|something|using|with|running|it (?:again|with))\\b',
  '(?:stop|pause) the\\b',
  'use (?:§|(?:the|a|an|my) (?:[\\w-]+ ){0,3}(?:tools?|command|api|script|search|query|function|browser|shell|cli|terminal|endpoint)\\b)',
  'call (?:the|§)',
  'make (?:the|these|those|a|an|that|this) (?:\\w+ )?(?:changes?|edits?|fix|fixes|updates?|requests?|calls?)\\b',
  'put (?:together|(?:the|it|them|that) (?:\\w+ ){0,2}(?:on|in|into|together|back)\\b)',
  'repeat the (?:check|test|run|query|search|call|request)\\b',
  'close the (?:ticket|issue|request|case|pull|browser|file|connection)\\b',
  'do (?:the following\\b|an? (?:\\w+ )?(?:search|check|run|test|review|scan|lookup)|(?:that|this|it|so) (?:now|next|first|right away))\\b|do (?:that|this|it|so)(?: for you)?(?=[.!…]*$)',
  'think\\b.*\\band (?:then )?(?:check|look|read|run|search|open)\\b',
);

/** Verbs that are not deeds with these words after them: "add that …", "check with a colleague", "write back". */
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
  'count\\b.*\\bas\\b',
  'save\\b.*\\bfor (?:another|a later|the end|last)\\b',
  '(?:switch|convert) (?:everything |back )?to (?:english|german|french|spanish|metric|plain)',
);

/** Verbs of saying, being, judging, promising, waiting and leaving alone. After "I'll", all others are deeds. */
const NO_DEEDS = wordsOf(`
  abide accept acknowledge adapt add_(?:that|one|to) admit adopt advise advocate agree aim allow and answer anticipate
  appear apologi[sz]e appreciate argue ask assist assume assure avoid a?wait back_(?:you|off|this|that) be bear begin believe bet bite bow
  blame break_(?:it|this|that)_down break_down bring_(?:it|that|this)_up build_on call capture carry castle caution celebrate challenge
  cheer claim clarify close come comment\\b commit_to compliment concede conclude confess confine congratulate consider
  contrast correct_(?:myself|that|this|my) count_(?:that|this|it|on) cover cross_(?:my|your|that) cut decline defend defer define
  demonstrate depend describe die digress direct disagree discuss do doubt draw dream drink drop_(?:it|that|this|the) dwell echo either
  elaborate emphasi[sz]e end endeavou?r enjoy err escalate_if expand expect explain express fail favou?r feel fight finish
  flip float focus fold follow forget forgive frame get give gladly go grant guess guide handle_you handle_it hang happily have hear
  help hesitate highlight hold honou?r hope ignore illustrate imagine in insist interrupt introduce join judge keep know
  laugh lean learn leave let like limit list live look_(?:forward|out|after|away|like|at_(?:it|this|that)_from) love make
  manage mean meet mention mind mirror miss monitor name need note obey object of offer oppose or out outline owe own paint
  paraphrase pass pause pay phrase pick plan play plead point pose postpone praise pray prefer present presume pretend
  proceed_as process_(?:it|them|your) promise propose protect put qualify quote raise_(?:one|two|an?|another|you|my) rank rate rather reassure recap recommend
  refer reflect refrain refuse reiterate rely remain remember remind repeat rephrase reply report respect respond rest
  restate return reveal reword root rule_out say see_(?:myself|you|to|how_it|how_things|if_we|what_we|where_we|whether_we) second sell
  settle share shed show side sign sketch skip sleep sound spare speak specify speculate spell spend spoil stand start state stay
  step stick stop stress strive suggest sum(?:mari[sz]e)? support suppose surprise sympathi[sz]e tailor take talk teach tell
  thank that think through throw tolerate trade treat trust try turn_(?:to|into) understand unpack use venture volunteer vote
  vouch walk want warn watch welcome wish wonder word work_(?:with|around|as|within|hard|like|out_of) worry wrap zoom`);

const ADVERB = anyOf(
  'now|then|first|next|also|just|quickly|briefly|simply|directly|immediately|carefully|instead|actually|therefore|again',
  'go ahead and|go and|try (?:to|and)|proceed to|help by|still|(?!(?:app|rep|supp|re|comp|multip|happi|glad)ly\\b)\\w+ly',
);
const ADVERBS = `(?:${ADVERB} )*`;
const NONE = startingWith(`(?:${NO_DEEDS}|${ADVERB})\\b`);

/** The gerunds of "Checking the logs now." */
const DOING = wordsOf(`
  adding applying analy[sz]ing building calling cancell?ing checking cleaning cloning committing comparing
  connecting continuing converting copying creating deleting deploying downloading draining editing extracting fetching
  fixing generating going_to_\\w+ implementing inspecting installing investigating loading
  looking_(?:at|into|in|up|for|through|it|that|this|them) merging migrating moving opening patching preparing proceeding
  processing pulling pushing querying reading rebasing rebooting rebuilding refactoring regenerating reloading removing
  renaming replacing rerunning resetting restarting restoring retrying reverting rewriting rolling
  rotating running scaling scanning searching sending starting_(?:with|on|by|from|step|the|§|\\w+ing) submitting switching
  syncing testing trying updating upgrading uploading validating verifying wiring writing`);

/** In "Reading the file takes a second." the gerund is a subject; in "Reading the file to see what it is." it is not. */
const NO_VERB = `(?!(?:(?! (?:${anyOf(
  'where|which|before|because|since|so|and see',
  'to (?:see|check|find|confirm|verify|make|understand|get|learn|look|pin|figure|avoid)',
)})\\b).)*?(?:, (?:i|we|you|it|the|that|this|there)\\b|\\b(?:${anyOf(
  'is|was|are|were|be|been|has|had|have|would|will|should|can|could|may|might|must|did|does|do|means?|meant|takes?|took',
  'gives?|gave|makes?|made|helps?|fix(?:es|ed)|work(?:s|ed)|needs?|costs?|requires?|shows?|showed|returns?|keeps?|seems?',
  'sounds?|fail(?:s|ed)|or|caused?|causes|breaks?|broke|leaves?|left|solve[sd]|remove[sd]|turned',
)})\\b|n't\\b|'s (?:a|the|not|what|how)\\b))`;

/** Objects of such a gerund. */
const THING = anyOf(
  '(?:the|an?|this|that|these|those|all|both|each|every|it|them|its|another|my|your|step|§|back|up|into|through|at|for|with|on|out|over)(?= |[.!:…])',
  '[\\w./-]+ (?:to|into|from|in|on|for|via|with|\\d|now|again)',
  '[\\w./-]+[.!…]*$',
);

const OPENERS = `(?:${anyOf(
  'now|next|next up|first|then|so|and|but|ok|okay|alright|all right|right|sure|sure thing|great|good|perfect|fine',
  'well|yes|also|finally|excellent|thanks|absolutely|certainly|of course|understood|got it|h+m+|ah|oh|wait',
  'one moment(?:,? please)?|hold on|on it|no problem|roger|interesting|done',
)}[,!.:]? )*`;

/** Where a clause of the speaker may begin. */
const CLAUSE = `(?:^${OPENERS}|[,;:–—] (?:(?:so|but|now|next|first|then) )?|\\s- |\\b(?:so|but|now|next|first|while) )`;

const WILL = "(?:i'll|i will|i shall|(?:i'm|i am) (?:now )?(?:(?:going|about) to|gonna))";
const LET_ME = '(?:let me|allow me to)';
/** People say it about many things that they do, so only unambiguous uses count. */
const LETS =
  "let's (?:now |first |just |quickly )?(?:check|run|rerun|open|inspect|examine|verify|search|fix|debug|investigate|look (?:at|into|for)|see (?:whether|if|where|why))\\b";
const MUST =
  "(?:time to|i(?:'ll| will)? (?:now |also |first |still |just )?(?:need|have) to|i (?:want|would like) to(?=.*\\b(?:now|next|first|before \\w+ing)\\b))";

/** Gerunds that are no deeds, and nouns that look like gerunds. */
const NO_DOING = wordsOf(`
  agreeing anything apologi[sz]ing assuming attempting avoiding being believing building_on caring ceiling checking_(?:in|out) closing
  coming considering depending doing_(?:well|fine|great|good|ok(?:ay)?|nothing) during ending evening everything expecting feeling
  forgetting giving going_(?:forward|on|well|strong) guessing having helping hoping imagining including judging keeping knowing king
  laughing learning leaving letting living looking_forward making_sense meaning meeting morning needing nothing offering
  outstanding remembering repeating resting ring saying seeing sharing sitting sleeping something speaking spring standing
  staying stopping string summari[sz]ing surprising talking telling thanking thing thinking turning_to
  understanding waiting wanting watching wedding wing wishing wondering working_(?:as|fine|well|again|from|at|for)`);

const PAUSE =
  '(?:please,? )?(?:(?:just )?(?:one|a) (?:moment|second|sec|minute)|give me (?:just )?(?:a|one) \\w+|h[oa](?:ld|ng) on|bear with me|stand by|wait)';

const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';

/** Conditions of the deed, or its time if it is not now. */
const WAITS = anyOf(
  'if|unless|once|whenever|until|till|when|provided|assuming|in case|in that case|otherwise|either|by default|as soon as|as long as',
  'only|without (?:your|(?:\\w+ ){1,2}(?:ok|okay|approval|permission|consent|confirmation|go-ahead|yes|order|reason|review|backup|ticket))|pending|approv(?:al|ed)|subject to|should (?:it|that|this|the)|permission',
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

/** People who are told something, or things that are not part of the world. */
const NOT_THE_WORLD =
  'you(?! (?:an?|the|th(?:at|is)|your|some|all|both|one|with|via|by|in|on|now|right|back|and|shortly|§|\\d+)\\b|[.,;!:…—–)]|$)|unchanged|as (?:it|they) (?:is|are|was|were)|(?:the|all|future|further) (?:answers|replies|responses)|my (?:answers?|mind|tone|style|wording|repl(?:y|ies)|advice|estimate|understanding|picture|view|notes|best|knight|bishop|rook|queen|king|pawn)';

/** "First X, then Y": the second verb decides, because people also say what they will explain. */
const THEN = `,? (?:and )?then (?:i(?:'ll| will) )?(?!${NO_DEEDS}\\b)[a-z]+ (?:the|it|them|that|those|these|each|all|§|[\\w-]+\\.\\w)`;

/** The speaker begins to say what comes next; the verb follows. The first pattern is a part of all that the second finds. */
const MAY_BEGIN = /time to|(?:need|have|want|like) to|i'll|i will|i shall|i'm|i am|let me|allow me/i;
const BEGINS = new RegExp(`${CLAUSE}(?:${MUST}|${WILL}|${LET_ME}) (?=(${ADVERBS}))\\1`, 'gi');

/** Other ways to say it, each with its verb, after words without which it cannot match. */
const OTHERWISE = (
  [
    ["let's", `${CLAUSE}${LETS}`],
    ["i'm|i am", `${CLAUSE}(?:i'm|i am) (?:now|currently|just) ${DOING}\\b`],
    ["i'm|i am", `${CLAUSE}(?:i'm|i am) ${DOING}\\b(?=.*\\b(?:now|right away)\\b)`],
    [
      'moment|sec|minute|give me|h[oa](?:ld|ng) on|bear with me|stand by|wait',
      `^${OPENERS}${PAUSE}\\b.*?\\b(?:i(?:'m| am) ${DOING}|(?:while|as) i (?!${NO_DEEDS}\\b)[a-z]+)\\b|^${OPENERS}${PAUSE}\\b.*?\\bi (?:look|check|read|run|search|open|find|fetch|pull)\\b`,
    ],
    ['ing', `^${OPENERS}${DOING}\\b(?=.*(?:\\b(?:now|next|first)[.!:…]*|…|\\.\\.\\.)$)`],
    ['ing', `^${OPENERS}(?!${NO_DOING}\\b)[a-z]{2,}ing(?= [^,]*\\b(?:now|right away)[.!:…]*$)${NO_VERB}`],
    ['ing', `${CLAUSE}(?:i'm|i am) (?!${NO_DOING}\\b)[a-z]{2,}ing\\b(?= [^,]*\\b(?:now|right away)[.!:…]*$)`],
    [
      ' to ',
      `^${OPENERS}(?:proceeding|heading over|moving on|off|about) to (?!${NO_DEEDS}\\b)[a-z]+\\b${NO_VERB}`,
    ],
    [
      'on it|working on',
      `^${OPENERS}(?:i'm |i am )?(?:already |right )?(?:on it|working on (?:it|that|this))(?:,? (?:now|right away))?(?=[.!…]*$)`,
    ],
    [
      ' to ',
      `^${OPENERS}(?:please )?(?:(?:give|allow) me (?:just )?|just )?(?:a|one) (?:quick |short |little )?(?:moment|second|sec|minute|bit)(?: please)? to (?!${NO_DEEDS}\\b)[a-z]+\\b(?! (?:yourself|your))${NO_VERB}`,
    ],
    ['then ', `${CLAUSE}${WILL} (?:(?:first|start by|begin by)\\b[^.]{1,120}?|[^.]{1,120}? first)${THEN}`],
    ["i'd|i had", `${CLAUSE}(?:i'd|i had) (?:better|best) (?=(${ADVERBS}))\\1(?!${NO_DEEDS}\\b)[a-z]+\\b`],
    ["let's", `${CLAUSE}let's (?:now |first )?(?:start|begin) by ${DOING}\\b`],
    ['ing', `^${OPENERS}${DOING} (?=${THING})(?=.{2,120}$)${NO_VERB}`],
  ] as const
).map(([needs, pattern]) => ifThere(needs, new RegExp(pattern, 'i')));

function deedIn(sentence: string): Deed | undefined {
  for (const begin of MAY_BEGIN.test(sentence) ? sentence.matchAll(BEGINS) : []) {
    const [said] = begin;
    const rest = sentence.slice(begin.index + said.length);
    const verb = /^[a-z-]+/i.exec(rest)?.[0] ?? '';
    if (PHRASES.test(rest) || (verb !== '' && !NONE.test(rest) && !NO_DEED_WITH.test(rest)))
      return { before: sentence.slice(0, begin.index), after: rest.slice(verb.length) };
  }
  for (const find of OTHERWISE) {
    const deed = find(sentence);
    if (deed) return deed;
  }
  return undefined;
}

export const english: Language = {
  deedIn,
  notAfter: new RegExp(
    anyOf(
      // A request: "Send me the number, and …".
      '^(?:(?:please|just|then|next|first|so|and|now),? )*(?:send|paste|give(?! me a)|tell|share|upload|reply|write|type|say|call|confirm|ask|restart|click|press|approve|sign|enter|choose|pick|take|wait (?:for|until)|try|provide|attach)\\b',
      // Another speaker: "He answers: …".
      '\\b(?:says?|said|saying|tells?|told|asks?|asked|answers|answered|repl(?:y|ies|ied)|writes?|wrote|reads|means?|meant|promised?|thinks?|thought|translat\\w+|sentence|phrase|slogan|title|words|example|instance|english|if|options?|alternatives?|variants?|plan [a-d]|either|usually|normally|generally)\\b',
    ),
    'i',
  ),
  waits: new RegExp(`\\b(?:${WAITS}|${NOT_THE_WORLD})(?!\\w)`, 'i'),
  harmless: new RegExp(
    anyOf(
      '\\b(?:let you know|keep you (?:posted|informed|updated)|report back)\\b(?: (?:here )?(?:when|once|as soon as|if|until)\\b[^,;]*)?|\\bfor you\\b(?! to\\b)|\\bthank you\\b',
      "\\byou(?:'ve| have|'d| had)? (?:just )?(?:mentioned|asked|named|sent|gave|given|provided|shared|described|pointed|wrote|written|want|wanted|need|linked|listed|attached|uploaded|reported|requested|referred)\\b",
      '\\b(?:see|check|find out|verify|test|determine|know) (?:if|when) (?!you\\b)',
      '\\bnot only\\b|\\b(?:whether|or|why|does|do|is|did|was|are|has|have|were|could|can) not\\b|\\bread-only\\b',
    ),
    'gi',
  ),
  asks: new RegExp(
    `\\b${anyOf(
      'please(?!,? (?:wait|hold|hang on|stand by|bear|give me (?:a|one)|allow me|one moment|just a|let me))|let me know|tell me|say the word|reply with|wait(?:ing)? for',
      'your (?:ok|okay|approval|permission|consent|confirmation|go-ahead|yes|reply|answer|decision|choice|call|signal|word|mark|command|say-so)|is enough|need your',
      "from you|with you|up to you|you (?:could|can|should)|i(?:'d| would)? (?:recommend|suggest|propose)|my (?:proposal|suggestion)",
    )}\\b(?<!(?:moment|second|minute|sec),? please)`,
    'i',
  ),
  goesOn: /^(?:and |but )?(?:then|after that|afterwards)\b/i,
  pause: new RegExp(
    `^${anyOf(
      `${PAUSE}(?!.*\\b(?:i|i'\\w+|let me)\\b)`,
      'back in a|be right back',
      "(?:this|that|it)\\s*(?:may|might|will|should|could|can|won't|would|'ll)\\b|(?:this|that) way\\b",
    )}`,
    'i',
  ),
};
