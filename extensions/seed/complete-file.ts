import { extname } from 'node:path'
import type { ContentObject, ContentValue } from './content'

const mimes: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
}

const lastSegment = (url: ContentValue): string | null =>
  typeof url === 'string' ? (url.split('/').at(-1) ?? null) : null

/** What Strapi always stores of a file follows from its name, so that a test may give nothing but that. */
export function completeFile(file: ContentObject): ContentObject {
  const name = file['name'] ?? lastSegment(file['url'])
  if (typeof name !== 'string') return file
  const ext = extname(name)
  const stem = name.slice(0, name.length - ext.length).replace(/[^\w-]+/g, '_')
  const hash = typeof file['hash'] === 'string' ? file['hash'] : stem
  const known: ContentObject = {
    name,
    hash,
    ext,
    mime: mimes[ext.toLowerCase()] ?? 'application/octet-stream',
    size: 0,
    url: `/uploads/${hash}${ext}`,
    provider: 'local',
    folderPath: '/',
  }
  return { ...known, ...file }
}
