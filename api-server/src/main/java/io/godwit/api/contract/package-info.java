/** The API's document, and whether requests and answers are as it says. */
@NullMarked
package io.godwit.api.contract;

import org.jspecify.annotations.NullMarked;
