/** The repository of the emulated GitHub: Tidepool, a fictional note-taking app. */

export const owner = 'tidepool';
export const repo = `${owner}/tidepool`;

/** The user of the agent's token. The first of the users, because the emulator assigns an unknown token to the first one. */
export const bot = 'tidepool-triage';
export const people = ['ada-m', 'jonas-k', 'mei-lin', 'oluwaseun'] as const;

/** Tokens that the emulator knows, one for each user. */
export const tokenOf = (login: string): string => `emulated-${login}`;

export interface SeedLabel {
  name: string;
  color: string;
  description: string;
}

export interface SeedIssue {
  title: string;
  body: string;
  user: string;
  state: 'open' | 'closed';
  labels: string[];
  comments: { user: string; body: string }[];
}

export const labels: readonly SeedLabel[] = [
  { name: 'bug', color: 'd73a4a', description: 'Something is broken: wrong, missing or lost' },
  { name: 'crash', color: 'b60205', description: 'The app crashes or freezes' },
  {
    name: 'sync',
    color: '0e8a16',
    description: 'Sync between devices: conflicts, offline edits, lost changes',
  },
  { name: 'mobile', color: '5319e7', description: 'The Android and iOS apps' },
  { name: 'export', color: '1d76db', description: 'Export and import: Markdown, PDF, images in them' },
  { name: 'performance', color: 'fbca04', description: 'Slow, or takes too much memory or battery' },
  { name: 'enhancement', color: 'a2eeef', description: 'A wish: a new feature, option or shortcut' },
  { name: 'documentation', color: '0075ca', description: 'The manual and the readme' },
];

/** Existing issues. */
export const past: readonly SeedIssue[] = [
  {
    title: 'Notes edited on the train are gone after sync',
    body: 'I edited three notes offline. When the phone had a connection again, sync put the old text back. Version 2.4.1, iOS.',
    user: 'mei-lin',
    state: 'open',
    labels: ['bug', 'sync', 'mobile'],
    comments: [{ user: 'jonas-k', body: 'Same here with 2.4.0, on Android.' }],
  },
  {
    title: 'Markdown export leaves out images',
    body: 'Exporting a notebook to Markdown writes the links, but the images folder is empty.',
    user: 'oluwaseun',
    state: 'open',
    labels: ['bug', 'export'],
    comments: [],
  },
  {
    title: 'Android: crash on a note with a large attachment',
    body: 'The app crashes as soon as a note with a PDF of about 20 MB is opened. Pixel 9, Android 17.',
    user: 'jonas-k',
    state: 'open',
    labels: ['crash', 'mobile'],
    comments: [],
  },
  {
    title: 'Keyboard shortcut for the daily note',
    body: 'A shortcut that opens the daily note from anywhere would be great.',
    user: 'ada-m',
    state: 'open',
    labels: ['enhancement'],
    comments: [],
  },
  {
    title: 'Readme says Node 18, the build wants 20',
    body: 'Following the readme fails at the first command.',
    user: 'ada-m',
    state: 'closed',
    labels: ['documentation'],
    comments: [{ user: owner, body: 'Corrected, thank you.' }],
  },
  {
    title: 'Search is slow with 10,000 notes',
    body: 'Each key takes about two seconds, and the fan goes on.',
    user: 'mei-lin',
    state: 'closed',
    labels: ['performance'],
    comments: [],
  },
];

/** Issues that are opened next, one at each start, in a cycle. */
export const stories: readonly Pick<SeedIssue, 'title' | 'body' | 'user'>[] = [
  {
    title: 'App crashes when I open an attachment from the Android widget',
    body: 'Tapping a note in the home screen widget crashes the app if the note has an attachment. It is a PDF of 30 MB. Opening the same note from the list takes long, but works.\n\nTidepool 2.4.1, Galaxy S25, Android 17.',
    user: 'oluwaseun',
  },
  {
    title: 'Offline edits are lost after sync with a second laptop',
    body: 'I have two laptops. Edits that I make offline on one of them are replaced by the older text from the other one after the next sync. There is no conflict shown, the text is just gone.\n\nTidepool 2.4.1 on both, Debian.',
    user: 'jonas-k',
  },
  {
    title: 'Images are missing in the Markdown export of nested notebooks',
    body: 'If I export a notebook that has notebooks in it, images of the inner ones are missing in the Markdown files. For the outer notebook they are there.\n\nTidepool 2.4.1, macOS.',
    user: 'mei-lin',
  },
  {
    title: 'Please add a shortcut to go to the daily note of another day',
    body: 'There is one for today. Going to the daily note of last Friday takes five clicks.',
    user: 'ada-m',
  },
];
