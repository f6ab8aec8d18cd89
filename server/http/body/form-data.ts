// The parts of a body that is a form, by name.

/** Throws when the body is none. */
export async function formDataOf(body: Uint8Array, contentType: string) {
  const { Response } = await import("undici");
  return await new Response(body, { headers: { "content-type": contentType } }).formData();
}
