/** Which connections and requests are let in: limits, rates, places of callers, deadlines and TLS files. */
@NullMarked
package io.godwit.api.http.gate;

import org.jspecify.annotations.NullMarked;
