/**
 * How {@code bin/godwit-admin} asks the HTTP API.
 *
 * <pre>
 * ApiTarget          where the API is, what is shown there, what is trusted
 *   LocalApi         in a data directory: where the API of the broker is that runs on it
 *   ApiTls           the certificates of both sides
 * ApiClient          one request at a time, each with an end in time and size
 *   ApiPath          path and parameters, percent-encoded
 *   BoundedBody      an answer, up to a size
 *   StreamParts      an answer that goes on and on; ServerSentEvents takes it apart
 *   ApiProblems      what a refusal is for the exit code
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin.http;

import org.jspecify.annotations.NullMarked;
