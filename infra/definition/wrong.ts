/** The definition or the props cannot be deployed. The message tells their author what to do, and where. */
export class WrongDefinition extends Error {
  override name = 'WrongDefinition';

  constructor(message: string) {
    super(message);
    tellOnlyTheSentence();
  }
}

let listens = false;

/** If the error is uncaught, its author reads the sentence and not the stack of this code. The process still ends with 1. */
function tellOnlyTheSentence(): void {
  if (listens) return;
  listens = true;
  process.on('uncaughtException', (error) => {
    if (!(error instanceof WrongDefinition) && process.listenerCount('uncaughtException') > 1) return;
    console.error(error instanceof WrongDefinition ? error.message : error);
    process.exit(1);
  });
}
