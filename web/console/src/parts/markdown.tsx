import Markdown, { type Components } from 'react-markdown';
import gfm from 'remark-gfm';

/**
 * A model's output, which is not trusted: HTML in it is shown as text, links send no referrer, and external images
 * become links, since loading one would tell its server who reads.
 */
const components: Components = {
  a: ({ href, children }) =>
    // A link with no web address has lost its `href`.
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer nofollow">
      Image: {alt || String(src)}
    </a>
  ),
  // Wide blocks scroll, by keys too.
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wide blocks are scrolled by keys
    <pre tabIndex={0}>{children}</pre>
  ),
  // The page has headings of its own.
  h1: ({ children }) => <p className="heading">{children}</p>,
  h2: ({ children }) => <p className="heading">{children}</p>,
  h3: ({ children }) => <p className="heading">{children}</p>,
  h4: ({ children }) => <p className="heading">{children}</p>,
  h5: ({ children }) => <p className="heading">{children}</p>,
  h6: ({ children }) => <p className="heading">{children}</p>,
  input: ({ checked }) => <span>{checked ? '☑' : '☐'} </span>,
};

const plugins = [gfm];

export const SafeMarkdown = ({ text }: { readonly text: string }) => (
  <Markdown components={components} remarkPlugins={plugins}>
    {text}
  </Markdown>
);
