/** New issues, and how each must be handled. */

import { type EvalCase, trajectory } from 'steploop/evals';
import { hub, type Issue } from './github.ts';
import { opened } from './messages.ts';
import { labels, says } from './scorers.ts';

/** Reads before it acts: labels and similar issues, in either order. */
export const looks = trajectory(['list_labels', 'search_issues'], 'any_order');
export const acts = trajectory(['get_issue', 'add_labels', 'comment']);
const MORE = /version|steps|reproduce|expected/i;

/** A new issue, with the labels that it must get and the similar issues that a comment must mention. */
const asCase = (
  name: string,
  title: string,
  body: string,
  wanted: readonly string[],
  mentions: readonly (string | RegExp)[] = [],
): EvalCase => {
  const issue: Issue = { title, body };
  const expect = [looks, acts, labels(...wanted), says(...mentions)];
  return { name, user: opened(issue), tools: hub(issue), expect };
};

/** Issues for all kinds of labels in the repository. */
export const fresh: readonly EvalCase[] = [
  asCase(
    'a crash',
    'It crashes at startup',
    'Since the update to 4.2 it crashes at once on my laptop, with nothing in the logs that would help.',
    ['crash'],
  ),
  asCase(
    'a crash on a phone',
    'Crash on Android',
    'On my phone with Android 15 it crashes when I open the second notebook. Version 4.2.1, always.',
    ['crash', 'mobile'],
    ['#3'],
  ),
  asCase(
    'a freeze',
    'The window freezes while printing',
    'The window freezes for ever as soon as I choose a printer, and I must end the process by hand.',
    ['crash'],
  ),
  asCase(
    'a crash that is known',
    'Crash with a picture from the clipboard',
    'Pasting a picture of 30 MB from the clipboard crashes the application, each time that I try.',
    ['crash'],
    ['#3'],
  ),
  asCase(
    'lost synchronization',
    'Synchronization does not begin',
    'Between my two devices the synchronization of notes does not begin any more since last week.',
    ['sync'],
    ['#7'],
  ),
  asCase(
    'a conflict of devices',
    'Conflict between devices after sync',
    'After a sync of both devices each note with a conflict is there twice, the older one on top.',
    ['sync'],
    ['#7'],
  ),
  asCase(
    'an export that is broken',
    'Exported PDF has no pictures',
    'Exports to PDF leave out all pictures; exports to HTML have them. Version 4.1, on two machines.',
    ['export'],
    ['#11'],
  ),
  asCase(
    'an export that is missing',
    'Export to Markdown: code blocks are lost',
    'Exports to Markdown lose the language of code blocks, so that nothing is highlighted afterwards.',
    ['export'],
  ),
  asCase(
    'a slow start',
    'Startup is slow',
    'With 200 notebooks startup is slow: two minutes on a fast disk, and one processor at full speed.',
    ['performance'],
    ['#15'],
  ),
  asCase(
    'too much memory',
    'Memory grows all day',
    'It is hungry for memory: 4 GB in the evening with the same ten notes open as in the morning.',
    ['performance'],
  ),
  asCase(
    'an empty battery',
    'Battery of the tablet is empty at noon',
    'On my tablets it takes half of the battery until noon, with the screen off. Version 4.2 for iOS.',
    ['performance', 'mobile'],
  ),
  asCase(
    'a typo in the manual',
    'Typos in the manual',
    'The manual has typos in the chapter on tags, and the README links to a page that is gone since 4.0.',
    ['documentation'],
  ),
  asCase(
    'a leak',
    'Password stands in the log',
    'With the debug log on, passwords of shared notebooks stand in it in plain text. That is a leak.',
    ['security'],
    ['#23'],
  ),
  asCase(
    'weak permissions',
    'Permissions of shared notes',
    'Everybody with the link has permissions to write, also where encryption is turned on for the note.',
    ['security'],
  ),
  asCase(
    'a wish',
    'Feature request: templates',
    'A feature request: could templates for daily notes be added, so that I need not copy one by hand?',
    ['enhancement'],
  ),
  asCase(
    'a wish that others have',
    'Dark theme at night',
    'A feature request: a dark theme could be added, since I write at night and the white hurts my eyes.',
    ['enhancement'],
    ['#19'],
  ),
  asCase('too few words: a crash', 'Crash', 'It crashes.', ['crash'], ['#3', MORE]),
  asCase(
    'too few words: an export',
    'Export is broken',
    'Export to HTML does not do anything.',
    ['export'],
    [MORE],
  ),
  asCase(
    'two things at once',
    'Sync makes phones slow',
    'Since 4.2 every sync between devices makes phones slow for a minute, and the battery drains.',
    ['sync', 'performance', 'mobile'],
  ),
];
