import { type SkillFixture, skillFile } from './fixture.ts';

/** Skills as they are published: with scripts, references and assets, and with the optional keys. */
export const ordinarySkills: readonly SkillFixture[] = [
  {
    folder: 'refunds',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'refunds',
          description:
            'Decides whether an order is refunded, and how much. Use when a customer asks for money back.',
          license: 'Apache-2.0',
        },
        '# Refunds\n\n1. Look the order up.\n2. Orders older than 30 days: read [the exceptions](references/exceptions.md).\n3. Compute the amount with `scripts/amount.sh CENTS DAYS`.',
      ),
      'references/exceptions.md': '# Exceptions\n\nDamaged goods are refunded for 90 days.\n',
      'scripts/amount.sh':
        '#!/bin/bash\n# The refund in cents: all of it for 30 days, then half.\nif [ "$2" -le 30 ]; then echo "$1"; else echo $(( $1 / 2 )); fi\n',
    },
  },
  {
    folder: 'pdf-forms',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'pdf-forms',
          description: 'Fills PDF forms and extracts their fields. Use when a PDF has fields to fill.',
          license: 'Proprietary. LICENSE.txt has complete terms',
          compatibility: 'Requires Python 3.11 and pypdf',
          'allowed-tools': 'Bash(python:*) Read Write',
        },
        '# PDF forms\n\nList the fields with [scripts/fields.py](scripts/fields.py), then fill them. See [FORMS.md](FORMS.md).',
      ),
      'FORMS.md': '# Forms\n\nField names are case-sensitive.\n',
      'LICENSE.txt': 'All rights reserved.\n',
      'scripts/fields.py': 'import sys\nprint(sys.argv[1])\n',
    },
  },
  {
    folder: 'brand-guidelines',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'brand-guidelines',
          description: 'Colours, type and tone of the company. Use for anything that customers see.',
        },
        '# Brand\n\n- Blue is `#0b5fff`.\n- Never write in capitals.\n\nThe logo is `assets/logo.png`.',
      ),
      'assets/logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    },
  },
  {
    folder: 'sql-reports',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'sql-reports',
          description:
            '"Writes SQL for the warehouse: joins, windows, cohorts. Use when numbers are asked for."',
        },
        '# Reports\n\nThe tables are in [references/tables.md](references/tables.md#orders).\n\n```sql\nselect count(*) from orders;\n```',
      ),
      'references/tables.md': '# Tables\n\n## orders\n\n| column | type |\n| --- | --- |\n| id | text |\n',
    },
  },
  {
    folder: 'release-notes',
    files: {
      'SKILL.md': `---\nname: release-notes\ndescription: >\n  Writes release notes from merged changes.\n  Use when a version is about to be published.\nmetadata:\n  author: example-org\n  version: "1.2"\nallowed-tools:\n  - Read\n  - Bash(git:*)\n---\n# Release notes\n\nGroup changes by what users notice.\n`,
    },
  },
  {
    folder: 'incident-review',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'incident-review',
          description: 'Leads a review after an outage. Use when an incident is closed.',
        },
        '# Review\n\nUse the template [assets/template.md](./assets/template.md). Ask for times in UTC.',
      ),
      'assets/template.md': '# Events\n\n# Times\n\n# Remedies\n',
    },
  },
  {
    folder: 'translate-de',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'translate-de',
          description:
            'Übersetzt Texte ins Deutsche, mit den Begriffen des Hauses. Für Texte an Kundinnen und Kunden.',
        },
        '# Übersetzen\n\n„Order“ heißt _Bestellung_. Siehe [die Liste](referenzen/wörter.md).',
      ),
      'referenzen/wörter.md': '| Englisch | Deutsch |\n| --- | --- |\n| refund | Erstattung |\n',
    },
  },
  {
    folder: '7-day-plan',
    files: {
      'SKILL.md': skillFile(
        { name: '7-day-plan', description: 'Plans a week of work. Use when asked what to do next week.' },
        '# Plan\n\nNo more than three things a day.',
      ),
    },
  },
  {
    folder: 'data-cleaning',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'data-cleaning',
          description: 'Cleans CSV files (types, blanks, duplicates). Use before any analysis.',
        },
        '# Cleaning\n\nRun `scripts/clean.js FILE`, then look at `assets/rules.json`.',
      ),
      'scripts/clean.js':
        "const { readFileSync } = require('node:fs');\nconsole.log(readFileSync(process.argv[2], 'utf8').trim());\n",
      'assets/rules.json': '{ "trim": true }\n',
    },
  },
  {
    folder: 'deep-folders',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'deep-folders',
          description: 'Keeps its knowledge in folders of folders. Use to look something up.',
        },
        '# Index\n\n- [Europe](references/regions/europe/taxes/vat.md)\n- [all regions](references/regions/)',
      ),
      'references/regions/europe/taxes/vat.md': '# VAT\n\n19 % in Germany.\n',
      'references/regions/asia/taxes/gst.md': '# GST\n\n18 % in India.\n',
    },
  },
  {
    folder: 'quoted-colons',
    files: {
      'SKILL.md': skillFile(
        { name: 'quoted-colons', description: "'Answers as a table: use when: never'", license: 'MIT' },
        '# Tables\n\nUse Markdown tables.',
      ),
    },
  },
  {
    folder: 'two-scripts',
    files: {
      'SKILL.md': skillFile(
        {
          name: 'two-scripts',
          description: 'Counts words and lines of a text. Use when sizes are asked for.',
        },
        '# Counting\n\n`scripts/words.sh FILE` and `scripts/lines.sh FILE`.',
      ),
      'scripts/words.sh': 'wc -w < "$1"\n',
      'scripts/lines.sh': 'wc -l < "$1"\n',
    },
  },
];
