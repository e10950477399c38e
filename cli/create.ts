#!/usr/bin/env node
/** `npm create steploop NAME`: `steploop init` in a package of its own, which npm fetches in a second. */

import process from 'node:process';
import { exitCodeOf } from './ends.ts';
import { init } from './init/init.ts';

process.exitCode = await exitCodeOf(() => init(process.argv.slice(2)));
