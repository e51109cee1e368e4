package io.muster.gateway.problems;

import io.muster.contract.problem.Problem;
import io.muster.edge.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ProblemPageController {

    private final ProblemCatalogue catalogue;

    ProblemPageController(ProblemCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    @Operation(summary = "What a problem code means; needs no key")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = ProblemPage.class)))
    @GetMapping(path = "/problems/{code}", produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> page(@PathVariable String code) {
        return catalogue
                .find(code)
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> Problems.answer(unknown()));
    }

    @GetMapping(path = "/problems/{code}", produces = MediaType.TEXT_PLAIN_VALUE)
    ResponseEntity<?> text(@PathVariable String code) {
        return catalogue
                .find(code)
                .<ResponseEntity<?>>map(page -> ResponseEntity.ok(page.toText()))
                .orElseGet(() -> Problems.answer(unknown()));
    }

    private Problem unknown() {
        return Problem.of(
                404,
                "NOT_FOUND",
                "No such problem",
                "There is no page for this code.",
                "There are pages for: "
                        + String.join(
                                ", ",
                                catalogue.all().stream().map(ProblemPage::code).toList()) + ".");
    }
}
