@NullMarked
package io.godwit.broker.redirect;

import org.jspecify.annotations.NullMarked;
