import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { RequestHandler, Response } from 'express'

/** The built page next to this file, or in `dist` for specs, which run the source. */
const folder = [
  join(__dirname, 'page'),
  join(__dirname, '..', '..', 'dist', 'extensions', 'explorer', 'page'),
].find((path) => existsSync(join(path, 'page.js')))

/** Scripts, styles, pictures and responses come from this host alone, and no content of a response becomes markup. */
const policy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'connect-src'].map((kind) => `${kind} 'self'`),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((kind) => `${kind} 'none'`),
  "require-trusted-types-for 'script'",
].join('; ')

function guard(res: Response): void {
  res.setHeader('Content-Security-Policy', policy)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cache-Control', 'no-cache')
}

const asText = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`)

const pageOf = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${asText(title)} explorer</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="page.css">
<script src="page.js" type="module"></script>
</head>
<body data-title="${asText(title)}">
<noscript>The explorer needs JavaScript.</noscript>
</body>
</html>
`

export function pageHandler(title: string): RequestHandler {
  const page = pageOf(title)
  return (req, res) => {
    guard(res)
    const [path = ''] = req.originalUrl.split('?')
    // The page uses relative URLs, so that it works at any mount and behind any proxy.
    if (path.endsWith('/')) res.type('html').send(page)
    else res.redirect(`${posix.basename(path)}/`)
  }
}

export type PageFile = 'page.js' | 'page.css' | 'icon.svg'

export function pageFile(name: PageFile): RequestHandler {
  return (_req, res, next) => {
    guard(res)
    if (folder === undefined) next(new Error('the explorer is not built: run npm run build'))
    else res.sendFile(name, { root: folder })
  }
}
