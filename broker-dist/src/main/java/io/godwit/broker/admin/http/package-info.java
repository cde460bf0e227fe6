/**
 * The client of {@code bin/godwit-admin} for the HTTP API.
 *
 * <pre>
 * ApiTarget          the address of the API, the token and the TLS context
 *   LocalApi         the address of a local broker's API, from its data directory
 *   ApiTls           the certificates of both sides
 * ApiClient          one request at a time, each bounded in time and size
 *   ApiPath          path and parameters, percent-encoded
 *   BoundedBody      an answer, up to a size
 *   StreamParts      an endless answer; ServerSentEvents parses it
 *   ApiProblems      refusals, explained and mapped to exit codes
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin.http;

import org.jspecify.annotations.NullMarked;
