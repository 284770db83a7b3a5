import express from 'express'
import { createRequire } from 'node:module'

type Make = typeof express

/** Express 4 is installed under a name of its own; its types are near enough those of 5. */
const express4 = createRequire(__filename)('express4') as Make

/** Both versions that the router runs under. */
export const expresses: readonly (readonly [version: string, make: Make])[] = [
  ['4', express4],
  ['5', express],
]
