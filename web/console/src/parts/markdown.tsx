import Markdown, { type Components } from 'react-markdown';
import gfm from 'remark-gfm';

/**
 * What a model wrote. Nobody has looked at it: HTML in it is shown as text, links say where they lead and tell that place nothing of
 * this page, and pictures of elsewhere are links, since to load one would tell its server who reads.
 */
const components: Components = {
  a: ({ href, children }) =>
    // One that leads to no place on the web has lost its address.
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer nofollow">
      Picture: {alt || String(src)}
    </a>
  ),
  // Wide ones are scrolled, by keys too.
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the screen is scrolled by keys
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
