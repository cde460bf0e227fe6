/** The audit log. */
@NullMarked
package io.godwit.api.audit;

import org.jspecify.annotations.NullMarked;
