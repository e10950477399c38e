/** The one function of the library that is used; it brings no types. */
declare module 'html-to-text' {
  export function convert(html: string, options: object): string;
}
