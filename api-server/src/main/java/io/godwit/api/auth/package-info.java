/** Authentication and authorization of callers: tokens, certificates and roles. */
@NullMarked
package io.godwit.api.auth;

import org.jspecify.annotations.NullMarked;
