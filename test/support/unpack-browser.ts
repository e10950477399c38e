import chromium from '@sparticuz/chromium';

/** Unpacks the browser into the temporary folder before the first test: of several at once, one would start what another still writes. */
export default async function unpackBrowser(): Promise<void> {
  await chromium.executablePath();
}
