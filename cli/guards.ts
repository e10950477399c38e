import { paint } from '../local/paint.ts';
import { httpClient } from '../web/client/index.ts';
import { parse } from './arguments.ts';
import { WrongUsage } from './ends.ts';
import { replayLines } from './guards/table.ts';
import { failureOf, placeOf, places } from './sessions/place.ts';

const usage = `steploop guards --replay SESSION [--preset P[,P]] [--text] [--json]
                                    what the guards of each preset would have said to the stored runs of a session, and when.
                                    --preset names some presets; --text adds under each verdict what the model would have read

A replay asks the real guards about the stored steps. It cannot know what the model would have done after other advice.

${places}

Exit codes: 0 done. 1 failed. 2 the command line is invalid.`;

/** `steploop guards`: uses the public HTTP API. */
export async function guards(args: readonly string[]): Promise<number> {
  const options = {
    replay: { type: 'string' },
    preset: { type: 'string' },
    text: { type: 'boolean' },
    json: { type: 'boolean' },
  } as const;
  const parsed = parse(args, { usage, options, words: 0 });
  if (!parsed) return 0;
  const { replay: sessionId, preset = '', text = false, json = false } = parsed.values;
  if (!sessionId) throw new WrongUsage(`Name a session.\n\n${usage}`);
  const presets = preset.split(',').filter((name) => name.trim() !== '');
  const place = placeOf(process.env, process.cwd());
  try {
    const replay = await httpClient(place).replayGuards(sessionId, presets);
    const width = process.stdout.columns ?? 160;
    console.log(
      json ? JSON.stringify(replay, null, 2) : replayLines(replay, { text, width, paint }).join('\n'),
    );
    return 0;
  } catch (error) {
    throw failureOf(error, place.httpUrl);
  }
}
