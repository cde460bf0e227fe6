@NullMarked
package io.godwit.broker.tenants;

import org.jspecify.annotations.NullMarked;
