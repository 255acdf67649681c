// a comment
pragma solidity ^0.8.0;
contract A {
    uint256 public x = 1;
    event E(address indexed who);
    function f(uint256 a) public view returns (uint256) {
        require(a > 0, "zero");
        return marker(a) + x;
    }
}
