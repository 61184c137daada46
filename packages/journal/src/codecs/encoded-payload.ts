/** A payload as bytes, with what tells how to read them. */
export interface EncodedPayload {
  /** Who wrote the bytes: an id of Akka's built-in serializers, of ours, or one that a user registered. */
  readonly serializerId: number;
  /** What the serializer needs beside the bytes, often a type's name; "" if nothing. */
  readonly manifest: string;
  readonly bytes: Uint8Array;
}
