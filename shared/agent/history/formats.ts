import type { HistoryFormat } from '../../contract/history.ts';
import { readAiSdk } from './read-ai-sdk.ts';
import { readAnthropic } from './read-anthropic.ts';
import { readOpenai } from './read-openai.ts';
import type { Read, Turn } from './turns.ts';
import { writeAiSdk } from './write-ai-sdk.ts';
import { writeAnthropic } from './write-anthropic.ts';
import { writeOpenai } from './write-openai.ts';

/** How a format is read and written. Reading throws a `HistoryFault`. */
export const formats: Readonly<
  Record<
    HistoryFormat,
    {
      readonly read: (messages: readonly unknown[]) => Read;
      readonly write: (turns: readonly Turn[]) => object[];
    }
  >
> = {
  openai: { read: readOpenai, write: writeOpenai },
  anthropic: { read: readAnthropic, write: writeAnthropic },
  'ai-sdk': { read: readAiSdk, write: writeAiSdk },
};
