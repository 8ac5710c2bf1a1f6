/** Turns an SVG into a PNG. */
import { say } from '../language/translate.ts'

/** Browsers draw no larger canvas. */
const MOST_PIXELS = 8192

/** Twice as large as the SVG, so that it is sharp in print, where a canvas can be that large. */
export async function pngOf(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const scale = Math.min(2, MOST_PIXELS / image.width, MOST_PIXELS / image.height)
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(image.width * scale))
    canvas.height = Math.max(1, Math.round(image.height * scale))
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error(say('the browser cannot draw a picture of this size')))
        else resolve(blob)
      }, 'image/png')
    })
  } finally {
    URL.revokeObjectURL(address)
  }
}
