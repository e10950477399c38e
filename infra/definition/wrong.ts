/** A definition, or props, that cannot be deployed. The message says to its author what to do, and where. */
export class WrongDefinition extends Error {
  override name = 'WrongDefinition';

  constructor(message: string) {
    super(message);
    tellOnlyTheSentence();
  }
}

let listens = false;

/** When nobody catches it, its author reads the sentence and not the stack of this code. The process ends with 1, as ever. */
function tellOnlyTheSentence(): void {
  if (listens) return;
  listens = true;
  process.on('uncaughtException', (error) => {
    if (!(error instanceof WrongDefinition) && process.listenerCount('uncaughtException') > 1) return;
    console.error(error instanceof WrongDefinition ? error.message : error);
    process.exit(1);
  });
}
