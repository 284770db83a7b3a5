import express, { type RequestHandler } from 'express'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** An uploaded page or drawing may hold code, which shall not run where everything can be read. */
const harmless = {
  'Content-Security-Policy':
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'",
} as const

/** The files that a Strapi keeps itself; null where it has none. */
export function uploadsOf(root: string): RequestHandler | null {
  const folder = join(root, 'public', 'uploads')
  if (!existsSync(folder)) return null
  return express.static(folder, {
    index: false,
    redirect: false,
    setHeaders: (res) => {
      for (const [name, value] of Object.entries(harmless)) res.setHeader(name, value)
    },
  })
}
