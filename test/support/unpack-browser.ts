import chromium from '@sparticuz/chromium';

/**
 * Unpacks the browser into the temporary folder before the first test. If several tests did so at once, one could start
 * a browser that another is still writing.
 */
export default async function unpackBrowser(): Promise<void> {
  await chromium.executablePath();
}
