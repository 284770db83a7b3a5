import type { ComponentChildren } from 'preact'
import { type Entry, isEntry } from './entry'
import { plainText } from './plain-text'

interface Prose {
  readonly path: string
  readonly value: unknown
}

const hasType = (value: unknown): value is Entry => isEntry(value) && typeof value['type'] === 'string'

const known = ['paragraph', 'heading', 'list', 'quote', 'code', 'image']

const isBlock = (value: unknown): boolean =>
  hasType(value) &&
  known.includes(String(value['type'])) &&
  Array.isArray(value['children']) &&
  value['children'].every(hasType)

/** Unknown blocks must not hide the known ones. */
const isBlocks = (value: unknown): boolean => Array.isArray(value) && value.some(isBlock)

/** Longer text is shown as a paragraph. */
const longestLine = 100

const isProse = (value: unknown): boolean =>
  (typeof value === 'string' && (value.length > longestLine || value.includes('\n'))) || isBlocks(value)

const mostTexts = 100

/** Long strings, and the content of Strapi's blocks editor. */
export function proseIn(value: unknown, path = '', found: Prose[] = []): readonly Prose[] {
  if (found.length >= mostTexts) return found
  if (isProse(value)) found.push({ path, value })
  else if (Array.isArray(value))
    value.forEach((one, index) => {
      proseIn(one, `${path}[${String(index)}]`, found)
    })
  else if (isEntry(value))
    for (const [name, one] of Object.entries(value))
      proseIn(one, path === '' ? name : `${path}.${name}`, found)
  return found
}

const childrenOf = (block: Entry): readonly Entry[] =>
  Array.isArray(block['children']) ? block['children'].filter(isEntry) : []

/** Plain text: links are shown without an anchor, as their authors are untrusted. */
function inline(part: Entry, at: number): ComponentChildren {
  if (part['type'] === 'link')
    return (
      <span key={at}>
        {childrenOf(part).map(inline)} ({plainText(part['url'])})
      </span>
    )
  const text = typeof part['text'] === 'string' ? part['text'] : childrenOf(part).map(inline)
  if (part['code'] === true) return <code key={at}>{text}</code>
  if (part['bold'] === true) return <strong key={at}>{text}</strong>
  return part['italic'] === true ? <em key={at}>{text}</em> : <span key={at}>{text}</span>
}

function block(value: unknown, at: number): ComponentChildren {
  const part = isEntry(value) ? value : { type: plainText(value) || 'empty' }
  const children = childrenOf(part)
  if (!Array.isArray(part['children']) || !known.includes(String(part['type'])))
    return (
      <p key={at} class="about">
        [{plainText(part['type'])}: {children.length === 0 ? 'not readable' : children.map(inline)}]
      </p>
    )
  switch (part['type']) {
    case 'heading':
      return (
        <p key={at} class="heading">
          {children.map(inline)}
        </p>
      )
    case 'list': {
      const items = children.map((item, index) => (
        <li key={index}>
          {childrenOf(item).map((one, place) =>
            one['type'] === 'list' ? block(one, place) : inline(one, place),
          )}
        </li>
      ))
      return part['format'] === 'ordered' ? <ol key={at}>{items}</ol> : <ul key={at}>{items}</ul>
    }
    case 'quote':
      return <blockquote key={at}>{children.map(inline)}</blockquote>
    case 'code':
      return <pre key={at}>{children.map(inline)}</pre>
    case 'image':
      return (
        <p key={at} class="about">
          [picture {isEntry(part['image']) ? plainText(part['image']['name']) : ''}]
        </p>
      )
    default:
      return <p key={at}>{children.map(inline)}</p>
  }
}

export function Texts({ texts }: { texts: readonly Prose[] }): ComponentChildren {
  return (
    <div class="texts">
      {texts.map(({ path, value }) => (
        <details key={path}>
          <summary>{path}</summary>
          {typeof value === 'string' ? (
            <p class="prose">{value}</p>
          ) : (
            (value as readonly unknown[]).map(block)
          )}
        </details>
      ))}
    </div>
  )
}
