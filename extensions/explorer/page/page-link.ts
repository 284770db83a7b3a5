import { decoded } from './plain-text'

/** Query and role in the address of the page. */
export interface PageLink {
  readonly role: string
  readonly text: string
}

/** `#/api/articles?…`, or `#as=editor/api/articles?…` with a role. */
export const hashOf = ({ role, text }: PageLink): string =>
  `#${role === '' ? '' : `as=${encodeURIComponent(role)}`}${text}`

/** Escapes of characters with a meaning: `#$%&+` and brackets, `=`, `?` and line ends. */
const kept = /%(?:2[3456bf]|5b|5d|3d|3f|0a|0d)/i

/** Browsers escape characters of their own choice. */
const readable = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (signs) => (kept.test(signs) ? signs : decoded(signs)))

/** Some programs escape the whole fragment. */
const unpacked = (hash: string): string => (/^#(?:as%3D|%2F)/i.test(hash) ? decoded(hash) : hash)

export function linkIn(hash: string): PageLink | null {
  const found = /^#(?:as=([^/]*))?(\/.*)?$/s.exec(unpacked(hash))
  const [, role = '', text = ''] = found ?? []
  return role === '' && text === '' ? null : { role: decoded(role), text: readable(text) }
}

export const isSameLink = (one: PageLink, other: PageLink): boolean =>
  one.text === other.text && one.role === other.role

export const linkInWords = ({ role, text }: PageLink): string => `${text}${role === '' ? '' : ` as ${role}`}`
