// Reads the parts of a body that is an HTML form (`multipart/form-data` or URL-encoded).

/** Returns the parts of the form by name. Throws when the body is not a form. */
export async function formDataOf(body: Uint8Array, contentType: string) {
  const { Response } = await import("undici");
  return await new Response(body, { headers: { "content-type": contentType } }).formData();
}
