/** Several auth providers, one after the other (docs/adr/0087). */
@NullMarked
package io.godwit.broker.auth.chain;

import org.jspecify.annotations.NullMarked;
