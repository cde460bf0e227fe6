/** Topic filters of rules, with placeholders for names of clients. Depends on plugin-api alone. */
@NullMarked
package io.godwit.broker.auth.filter;

import org.jspecify.annotations.NullMarked;
